public import Envelope
import Keys
import Opening
package import Platform

// Time that no message, relay or clock step changes (docs/protocol.md, section 9).
extension AppDevice {
    /// Result of a confirmation.
    public enum TimeConfirmation: Equatable, Sendable {
        /// Accepted, whatever the clock shows; negative if the clock is behind. Warn the person beyond five minutes.
        case confirmed(clockAheadBy: Duration)
        /// Answer of unknown age: after 30 seconds or longer, or a restart.
        case tooSlow
        /// Time before this software was built.
        case impossible
    }

    /// Asks for the time and trusts it over earlier answers. Call it at each launch: only confirmed time destroys old
    /// prekeys.
    ///
    /// - Parameter ask: queries a server over TLS, uncached: `OnlineTime.ask` or the app's back end. Not the relay,
    ///   which could then choose which keys go.
    /// - Throws: `ask`'s error: `RelayClientError.certificateHasBadDate` means that the clock is far off;
    ///   `AppDeviceError`.
    @discardableResult
    public func confirmTime(_ ask: () async throws -> Timestamp) async throws -> TimeConfirmation {
        let askedAt = settings.uptime()
        return try confirm(try await ask(), askedAt: askedAt, now: .now)
    }

    package func confirm(
        _ time: Timestamp,
        askedAt: Uptime,
        now: Timestamp
    ) throws(AppDeviceError) -> TimeConfirmation {
        let uptime = settings.uptime()
        guard uptime.boot == askedAt.boot, uptime.milliseconds >= askedAt.milliseconds,
            uptime.milliseconds - askedAt.milliseconds < 30_000
        else { return .tooSlow }
        guard time >= settings.policy.buildDate, time.milliseconds <= Timestamp.millisecondsMax else {
            return .impossible
        }
        try translated { () throws(ReplayWindowError) in try window.confirm(time) }
        let clock = try settings.clock(now: now, window: window)
        try translated { () throws(KeyRingError) in try ring.settle(at: clock) }
        return .confirmed(clockAheadBy: now.duration(since: time))
    }
}
