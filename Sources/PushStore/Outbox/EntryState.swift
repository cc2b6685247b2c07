/// Notification's state. It ends once: in `accepted` (perhaps then `delivered`), `dead` or `expired`.
package enum EntryState: Equatable, Hashable, Sendable {
    /// Waits for its due time.
    case queued
    /// Marked before its first byte goes out; after a crash it may have arrived.
    case sending
    /// Waits for a working credential.
    case parked
    case accepted
    case delivered
    case dead(DeathReason)
    /// Not accepted before its deadline.
    case expired

    package var isFinal: Bool {
        switch self {
        case .queued, .sending, .parked: false
        case .accepted, .delivered, .dead, .expired: true
        }
    }

    package var isWaiting: Bool { self == .queued || self == .parked }

    package var code: Code {
        switch self {
        case .queued: .queued
        case .sending: .sending
        case .parked: .parked
        case .accepted: .accepted
        case .delivered: .delivered
        case .dead: .dead
        case .expired: .expired
        }
    }

    /// Stored; indexes rely on the order (below 3: not final).
    package enum Code: Int64, CaseIterable {
        case queued = 0
        case sending = 1
        case parked = 2
        case accepted = 3
        case delivered = 4
        case dead = 5
        case expired = 6
    }

    /// - Returns: nil if unknown to this version.
    package init?(code: Int64, reason: Int64?) {
        switch Code(rawValue: code) {
        case .queued: self = .queued
        case .sending: self = .sending
        case .parked: self = .parked
        case .accepted: self = .accepted
        case .delivered: self = .delivered
        case .dead:
            guard let reason, let death = UInt8(exactly: reason).flatMap(DeathReason.init) else { return nil }
            self = .dead(death)
        case .expired: self = .expired
        case nil: return nil
        }
    }
}

/// Cause of a wait before anything was written to APNs.
package enum WaitCause: UInt8, CaseIterable, Sendable {
    /// Device's rate limit.
    case device = 1
    /// APNs rejects the credential.
    case credential = 2
    /// App missing in the configuration.
    case app = 3
    /// No connection to APNs, or no room on one.
    case connection = 4
}

/// Reason for giving up; APNs's answers are in the attempts.
package enum DeathReason: UInt8, CaseIterable, Sendable {
    case rejected = 1
    /// App or device gone.
    case undeliverable = 2
    case attemptsExhausted = 3
    /// Damaged on the disk.
    case corrupt = 4
    /// The last attempt's result is unknown: APNs may have it.
    case outcomeUnknown = 5
    /// A retry would have replaced a newer one with its collapse id.
    case superseded = 6
}
