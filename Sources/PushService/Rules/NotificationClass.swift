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
    case normal
    /// Broadcast, or not soon.
    case background
    /// Wakes the app and shows nothing: Apple's type `background`.
    case silent
    /// Starts, updates or ends a Live Activity.
    case liveActivity = "liveactivity"
    case widgets
    case controls
    /// Asks an extension for the location.
    case location

    package var lane: Lane {
        switch self {
        case .call, .urgent: .urgent
        case .normal, .liveActivity, .controls, .location: .normal
        case .background, .silent, .widgets: .background
        }
    }

    package var pushType: PushType {
        switch self {
        case .call: .voip
        case .urgent, .normal, .background: .alert
        case .silent: .background
        case .liveActivity: .liveactivity
        case .widgets: .widgets
        case .controls: .controls
        case .location: .location
        }
    }

    package var priority: Priority {
        switch self {
        case .call, .urgent, .normal, .liveActivity, .controls, .location: .immediate
        case .background, .silent, .widgets: .powerAware
        }
    }

    /// True if the sender may choose another priority that Apple allows.
    package var choosesPriority: Bool {
        switch self {
        case .call, .urgent, .normal, .background: false
        case .silent, .liveActivity, .widgets, .controls, .location: true
        }
    }

    package enum Sealing: Sendable {
        case required
        case optional
        /// Apple's format has no room.
        case refused
    }

    package var sealing: Sealing {
        switch self {
        case .call, .urgent, .normal, .background: .required
        case .silent, .liveActivity, .location: .optional
        case .widgets, .controls: .refused
        }
    }

    /// nil: the app's own, or PushKit's. A Live Activity's start has another.
    package var tokenKind: TokenPurpose.Kind? {
        switch self {
        case .call, .urgent, .normal, .background, .silent: nil
        case .liveActivity: .liveActivity
        case .widgets: .widgets
        case .controls: .controls
        case .location: .location
        }
    }

    /// Decides the sealed field's length.
    package var pushClass: PushClass { self == .call ? .voip : .alert }

    /// Seconds that APNs may keep it; 0 is one attempt. Few values, so that they reveal little (protocol v1, rule 35).
    package var expirySeconds: [Int64] { self == .call ? [0] : [0, 3_600, 86_400, 604_800] }

    package var defaultExpirySeconds: Int64 {
        switch self {
        case .call: 0
        case .urgent, .liveActivity, .controls, .location: 3_600
        case .normal, .background, .silent, .widgets: 86_400
        }
    }

    /// Seconds that the relay tries, if APNs may not keep it.
    package var lifetimeOfOneAttemptSeconds: Int64 { self == .call ? 30 : 300 }

    package var collapses: Bool {
        switch self {
        case .urgent, .normal, .background, .silent: true
        case .call, .liveActivity, .widgets, .controls, .location: false
        }
    }

    package var hasFallback: Bool { lane == .urgent }
}
