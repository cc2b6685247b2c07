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
    /// Wakes the app and shows nothing: Apple's push type `background`.
    case silent

    package var lane: Lane {
        switch self {
        case .call, .urgent: .urgent
        case .normal: .normal
        case .background, .silent: .background
        }
    }

    package var pushType: PushType {
        switch self {
        case .call: .voip
        case .urgent, .normal, .background: .alert
        case .silent: .background
        }
    }

    package var priority: Priority {
        switch self {
        case .call, .urgent, .normal: .immediate
        case .background, .silent: .powerAware
        }
    }

    /// True if the sender may choose another of Apple's priorities for the push type.
    package var choosesPriority: Bool {
        switch self {
        case .call, .urgent, .normal, .background: false
        case .silent: true
        }
    }

    /// Rule about the sealed field.
    package enum Sealing: Sendable {
        case required
        case optional
    }

    package var sealing: Sealing {
        switch self {
        case .call, .urgent, .normal, .background: .required
        case .silent: .optional
        }
    }

    /// Decides the sealed field's length.
    package var pushClass: PushClass { self == .call ? .voip : .alert }

    /// Seconds that APNs may keep it; 0 is one attempt. Few values, so that they reveal little (protocol v1, rule 35).
    package var expirySeconds: [Int64] { self == .call ? [0] : [0, 3_600, 86_400, 604_800] }

    package var defaultExpirySeconds: Int64 {
        switch self {
        case .call: 0
        case .urgent: 3_600
        case .normal, .background, .silent: 86_400
        }
    }

    /// Seconds that the relay tries, if APNs may not keep it.
    package var lifetimeOfOneAttemptSeconds: Int64 { self == .call ? 30 : 300 }

    package var collapses: Bool { self != .call }

    package var hasFallback: Bool { lane == .urgent }
}
