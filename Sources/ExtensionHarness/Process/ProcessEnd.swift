enum ProcessEnd: Equatable, Sendable {
    case exited(status: Int32)
    case killed(signal: Int32)

    var ending: Ending {
        switch self {
        case .exited(let status): .exited(status: status)
        case .killed(let signal): .crashed(signal: signal)
        }
    }
}
