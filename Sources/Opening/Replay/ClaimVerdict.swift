/// Answer to a claim (protocol v1, rules 23, 24 and 26).
package enum ClaimVerdict: Hashable, Sendable {
    /// Caller's for 35 seconds, to show and then `commit`.
    case new(ReplayClaim)
    /// Not committed within 35 seconds, because its process was killed. It may have been shown.
    case reclaimed(ReplayClaim)
    /// Committed, or claimed right now.
    case replay
    /// As old as forgotten messages.
    case tooOld
}

/// Right to show one message, ended by `commit`.
package struct ReplayClaim: Hashable, Sendable {
    package let key: ReplayKey
}
