import Envelope

// Steps 6 and 7: times and replay.
extension MessageOpener {
    /// True if the device's clock is credible.
    func judgeTimes(of frame: Frame, now: Timestamp) throws(Rejection) -> Bool {
        let time = try time()
        // Confirmed time advances with the uptime, so the device's clock does not count.
        let clock = ClockBound(now: time.isConfirmed ? time.lowerBound : now, lowerBound: time.lowerBound)
        let verdict = clock.judge(
            sentAt: frame.sentTime,
            expiresAt: frame.expiryTime,
            lifetimeMax: policy.lifetimeMax
        )
        switch verdict {
        case .inTime: return clock.isTrusted
        case .malformed: throw Rejection(.malformed)
        // Once time is confirmed, the message may prove to be in time.
        case .expired: throw Rejection(.expired, isKept: frame.expiryTime > time.lowerBound)
        case .fromTheFuture: throw Rejection(.clockUntrusted, isKept: true)
        }
    }

    /// Accepts a retired key while its messages may be under way. A clock set back extends that to the lower bound at
    /// most.
    func judgeRetirement(of contact: Contact, _ retired: RetiredKey?, now: Timestamp) throws(Rejection) {
        guard let retired else { return }
        let known = try time()
        let time = known.isConfirmed ? known.lowerBound : max(now, known.lowerBound)
        guard retired.isAccepted(at: time, lifetimeMax: policy.lifetimeMax) else {
            throw strangerRejection(contact.key)
        }
    }

    private func time() throws(Rejection) -> KnownTime {
        guard case .window(let window) = replay else { return KnownTime(lowerBound: policy.buildDate) }
        do {
            return try window.time().since(policy.buildDate)
        } catch {
            throw Rejection(.storeUnavailable)
        }
    }

    /// True if never claimed before.
    func claimOnce(
        _ frame: Frame,
        from contact: Contact,
        claim: inout ReplayClaim?
    ) throws(Rejection) -> Bool {
        let window: ReplayWindow
        switch replay {
        case .window(let shared): window = shared
        case .unavailable: throw Rejection(.storeUnavailable)
        case .none: return true
        }
        let stamp = MessageStamp(
            sender: contact.key,
            messageID: frame.messageID,
            sentAt: frame.sentTime,
            expiresAt: frame.expiryTime
        )
        let verdict: ClaimVerdict
        do {
            verdict = try window.claim(stamp)
        } catch {
            throw Rejection(.storeUnavailable)
        }
        switch verdict {
        case .new(let new):
            claim = new
            return true
        case .reclaimed(let again):
            claim = again
            return false
        case .replay: throw Rejection(.replay, replayed: stamp.key)
        case .tooOld: throw Rejection(.tooOld)
        }
    }
}
