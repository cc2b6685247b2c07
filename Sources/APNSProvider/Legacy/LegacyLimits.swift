package import Networking

package struct LegacyLimits: Sendable {
    /// Each connection's deadlines; silence for `idleDeadline` ends it.
    package var channel: TLSChannelLimits = {
        var limits = TLSChannelLimits()
        limits.idleDeadline = .seconds(30)
        return limits
    }()
    /// Unconfirmed notifications on one connection.
    package var sentCountMax = 8192
    /// Consecutive connections that settle nothing.
    package var failureCountMax = 3
    /// Connections for one batch; each error costs one.
    package var connectionCountMax = 256
    package var feedbackCountMax = 1_000_000

    package init() {}
}
