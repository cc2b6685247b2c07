/// Urgency, with a queue for each, so that a broadcast never delays a call.
package enum Lane: UInt8, CaseIterable, Sendable {
    case urgent = 0
    case normal = 1
    case background = 2

    package var index: Int { Int(rawValue) }

    /// Its name in answers, metrics and logs.
    package var word: String {
        switch self {
        case .urgent: "urgent"
        case .normal: "normal"
        case .background: "background"
        }
    }
}
