/// Command's failure.
package enum CommandError: Error {
    /// Wrong command line: exit code 2.
    case usage(String, help: String)
    /// Refused or failed: exit code 1. Says what happened, to what, and what to do next.
    case failed(String)

    var exitCode: Int32 {
        switch self {
        case .usage: 2
        case .failed: 1
        }
    }

    /// Message for standard error.
    func text(of program: String) -> String {
        switch self {
        case .usage(let reason, let help): "\(program): \(reason)\n\n\(help)"
        case .failed(let reason): "\(program): \(reason)"
        }
    }
}
