/// Where a notification is. It ends once: in `accepted` (and perhaps `delivered` later), `dead` or `expired`.
package enum EntryState: Equatable, Hashable, Sendable {
    /// Waits for its time.
    case queued
    /// Marked before its first byte goes out. After a crash: nobody knows whether it arrived.
    case sending
    /// Waits until somebody has mended the credential.
    case parked
    /// APNs has taken it.
    case accepted
    /// The device has said so.
    case delivered
    case dead(DeathReason)
    /// Its time was over before APNs took it.
    case expired

    package var isFinal: Bool {
        switch self {
        case .queued, .sending, .parked: false
        case .accepted, .delivered, .dead, .expired: true
        }
    }

    /// Neither on its way nor over.
    var isWaiting: Bool { self == .queued || self == .parked }

    /// What the file calls it.
    var code: Code {
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

    /// Numbers of the file's: the order is what its indexes are made by (below 3: not final).
    enum Code: Int64, CaseIterable {
        case queued = 0
        case sending = 1
        case parked = 2
        case accepted = 3
        case delivered = 4
        case dead = 5
        case expired = 6
    }

    /// - Returns: nil for a code or a reason that this version does not know.
    init?(code: Int64, reason: Int64?) {
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

/// What a notification waits for that was put off or parked before anything of it was written to APNs.
package enum WaitCause: UInt8, CaseIterable, Sendable {
    /// It gets as many as it may.
    case device = 1
    /// APNs does not believe it.
    case credential = 2
    /// The configuration does not have it.
    case app = 3
    /// There is none to APNs, or no room in it.
    case connection = 4
}

/// Why a notification is not tried any more. What APNs said is in its attempts.
package enum DeathReason: UInt8, CaseIterable, Sendable {
    /// APNs refused it for good.
    case rejected = 1
    /// The app is gone from the device, or the device is not registered.
    case undeliverable = 2
    /// As often as it might be tried.
    case attemptsExhausted = 3
    /// What the disk gave back is not what was written.
    case corrupt = 4
    /// Its last attempt went out, nobody knows what became of it, and there was no other: APNs may have it.
    case outcomeUnknown = 5
    /// When its turn to be tried again came, a newer one of its collapse id was out: it would have taken that one's place.
    case superseded = 6
}
