package import APNS
package import Envelope
package import PushStore

/// Decides all that Apple sees beside the sealed field. One for each purpose reveals nothing about a message (protocol
/// v1, rules 19 and 35).
package enum NotificationClass: String, CaseIterable, Sendable {
    /// Worthless when late.
    case call
    /// Awaited by a person.
    case urgent
    /// A message.
    case normal
    /// Broadcast, or not soon.
    case background

    package var lane: Lane {
        switch self {
        case .call, .urgent: .urgent
        case .normal: .normal
        case .background: .background
        }
    }

    package var pushType: PushType { self == .call ? .voip : .alert }

    package var priority: Priority { self == .background ? .powerAware : .immediate }

    /// Decides the sealed field's length.
    package var pushClass: PushClass { self == .call ? .voip : .alert }

    /// Seconds that APNs may keep it; 0 is one attempt. Few values, so that they reveal little (protocol v1, rule 35).
    package var expirySeconds: [Int64] { self == .call ? [0] : [0, 3_600, 86_400, 604_800] }

    package var defaultExpirySeconds: Int64 {
        switch self {
        case .call: 0
        case .urgent: 3_600
        case .normal, .background: 86_400
        }
    }

    /// Seconds that the relay tries, if APNs may not keep it.
    package var lifetimeOfOneAttemptSeconds: Int64 { self == .call ? 30 : 300 }

    package var collapses: Bool { self != .call }

    package var hasFallback: Bool { lane == .urgent }
}
