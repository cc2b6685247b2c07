/// Why a command ended without doing what it was asked for.
package enum CommandFailure: Error {
    /// The command line was wrong: exit code 2.
    case usage(String, help: String)
    /// Refused or failed: exit code 1. What happened, to what, and what to do next.
    case failed(String)

    var exitCode: Int32 {
        switch self {
        case .usage: 2
        case .failed: 1
        }
    }

    /// - Parameter program: that ended.
    /// - Returns: what it says on standard error.
    func text(of program: String) -> String {
        switch self {
        case .usage(let reason, let help): "\(program): \(reason)\n\n\(help)"
        case .failed(let reason): "\(program): \(reason)"
        }
    }
}
