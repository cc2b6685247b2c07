/// Durable state of one recipient's copy.
enum CopyState: Int64, CaseIterable, Sendable {
    /// Sealed, and not acknowledged by the relay.
    case queued = 0
    /// At the relay.
    case accepted = 1
    /// It will not be sent.
    case rejected = 2

    var word: String {
        switch self {
        case .queued: "queued"
        case .accepted: "accepted"
        case .rejected: "rejected"
        }
    }
}
