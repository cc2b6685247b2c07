package import Transport

/// What a client of the binary interface allows itself and its peer.
package struct LegacyLimits: Sendable {
    /// Each connection's deadlines; a peer that is silent for `idleDeadline` has lost it.
    package var channel: TLSChannelLimits = {
        var limits = TLSChannelLimits()
        limits.idleDeadline = .seconds(30)
        return limits
    }()
    /// Notifications on one connection before it has to account for them.
    package var sentCountMax = 8192
    /// Connections in a row that settled nothing.
    package var failureCountMax = 3
    /// Connections for one batch; each mistake costs one.
    package var connectionCountMax = 256
    /// Tuples of one visit to the feedback service.
    package var feedbackCountMax = 1_000_000

    package init() {}
}
