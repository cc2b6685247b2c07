/// Bounds of a pool.
package struct PoolLimits: Sendable {
    package var connectionCountMax = 8
    /// Calls that may wait for a connection.
    package var waitingCountMax = 1_024
    /// Wait before a connect after a failed one; doubles from the first to the last.
    package var backOff: ClosedRange<Duration> = .milliseconds(50)...(.seconds(1))

    package init() {}
}
