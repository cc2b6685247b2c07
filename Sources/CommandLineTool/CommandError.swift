package enum CommandError: Error {
    /// Exit code 2. The hint is short: the reason stays on the screen.
    case usage(String, hint: String)
    /// Exit code 1. Says what happened, to what, and what to do next.
    case failed(String)

    package var reason: String {
        switch self {
        case .usage(let reason, _), .failed(let reason): reason
        }
    }

    var exitCode: Int32 {
        switch self {
        case .usage: 2
        case .failed: 1
        }
    }

    func text(of program: String) -> String {
        switch self {
        case .usage(let reason, let hint): "\(program): \(reason)\n\(hint)"
        case .failed(let reason): "\(program): \(reason)"
        }
    }
}
