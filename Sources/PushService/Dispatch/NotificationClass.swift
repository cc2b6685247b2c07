package import APNS
package import Envelope
package import PushStore

/// What kind of notification a sender may ask for. One word decides everything that Apple sees beside the sealed field:
/// an app uses one for each purpose, so that the choice tells nothing about a message (protocol v1, rules 19 and 35).
package enum NotificationClass: String, CaseIterable, Sendable {
    /// Rings now or never.
    case call
    /// Somebody waits for it.
    case urgent
    /// A message.
    case normal
    /// To many, or not soon: a broadcast.
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

    /// The length of the sealed field.
    package var pushClass: PushClass { self == .call ? .voip : .alert }

    /// Seconds that APNs may keep it for, one of few so that they tell little; 0 is one attempt (protocol v1, rule 35).
    package var expirySeconds: [Int64] { self == .call ? [0] : [0, 3_600, 86_400, 604_800] }

    /// When the sender does not say.
    package var defaultExpirySeconds: Int64 {
        switch self {
        case .call: 0
        case .urgent: 3_600
        case .normal, .background: 86_400
        }
    }

    /// How long the service itself tries, where APNs may not keep it: a call that comes late is worth nothing.
    package var lifetimeOfOneAttemptSeconds: Int64 { self == .call ? 30 : 300 }

    /// Whether it may replace an older one on the device. Two calls are two calls.
    package var collapses: Bool { self != .call }

    /// Whether a missing receipt may fire a fallback.
    package var hasFallback: Bool { lane == .urgent }
}
