/// The urgency of a notification. Each lane is a queue of its own, so that a broadcast never delays a call.
package enum Lane: UInt8, CaseIterable, Sendable {
    case urgent = 0
    case normal = 1
    case background = 2

    /// Its place in `allCases`.
    package var index: Int { Int(rawValue) }

    /// Its name in answers, metrics and the log.
    package var word: String {
        switch self {
        case .urgent: "urgent"
        case .normal: "normal"
        case .background: "background"
        }
    }
}
