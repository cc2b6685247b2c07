/// What the window says about an id, and does in the same step (protocol v1, rules 23, 24 and 26).
package enum ClaimVerdict: Hashable, Sendable {
    /// Never seen. It is the caller's for 35 seconds: show it, then `commit`.
    case new(ReplayClaim)
    /// Claimed before and not committed within 35 seconds: whoever had it was killed. May have been shown.
    case reclaimed(ReplayClaim)
    /// Done, or another thread or process is at it.
    case replay
    /// As old as what the window has forgotten, so that it cannot tell whether it is new.
    case tooOld
}

/// The right to show one message, to be given back with `commit`.
package struct ReplayClaim: Hashable, Sendable {
    package let key: ReplayKey
}
