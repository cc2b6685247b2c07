import TestSupport

enum Probe {
    private static let path = LineProcess.path(of: "ReplayWindowProbe")

    static func start(_ arguments: String...) throws -> LineProcess { try LineProcess(path, arguments) }

    /// Runs a line of shell in which `$0` is the probe and `$1` the folder.
    ///
    /// - Returns: its output.
    static func run(_ line: String, _ folder: String) throws -> String {
        let probe = try LineProcess("/bin/sh", ["-c", line, path, folder])
        let text = probe.rest()
        probe.wait()
        return text
    }
}
