/// How the program ends.
///
/// - Source: sysexits.h for 64 and 78; systemd.exec(5), "Process Exit Codes".
enum ExitCode {
    static let done: Int32 = 0
    /// It failed, or a second signal did not let it end in order.
    static let failed: Int32 = 1
    /// EX_USAGE: the command line is wrong.
    static let usage: Int32 = 64
    /// EX_CONFIG: the configuration, or a file that it names.
    static let configuration: Int32 = 78
}
