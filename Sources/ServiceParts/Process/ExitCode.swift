/// Exit codes.
///
/// - Source: sysexits.h for 64 and 78; systemd.exec(5), "Process Exit Codes".
package enum ExitCode {
    package static let done: Int32 = 0
    /// A failure, or a second signal before the orderly end.
    package static let failed: Int32 = 1
    /// EX_USAGE: the command line is wrong.
    package static let usage: Int32 = 64
    /// EX_CONFIG: the configuration, or a file that it names, is wrong.
    package static let configuration: Int32 = 78
}
