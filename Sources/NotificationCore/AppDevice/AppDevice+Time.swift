public import Envelope
import Keys
import Opening
package import Platform

// Time that no message, no relay and no step of the device's clock changes (docs/protocol.md, section 9).
extension AppDevice {
    /// What became of a confirmation.
    public enum TimeConfirmation: Equatable, Sendable {
        /// The device goes by this time now, whatever its clock shows. The clock is ahead of it by so much; behind, if less
        /// than zero. More than five minutes are worth telling the person.
        case confirmed(clockAheadBy: Duration)
        /// The answer took 30 seconds or longer, or the device was started again meanwhile: how old it is cannot be told.
        case tooSlow
        /// The answer is a time before this software was built.
        case impossible
    }

    /// Asks what time it is, and believes the answer in place of all that was believed before. Call it at each launch:
    /// old prekeys are destroyed by confirmed time alone.
    ///
    /// - Parameter ask: fetches the time from a server that is not the relay, over TLS and past every cache: `OnlineTime.ask`,
    ///   or a request of the app's own back end. A relay that could choose the device's time would choose which keys go.
    /// - Returns: whether it was believed.
    /// - Throws: what `ask` throws: `RelayClientError.certificateHasBadDate` says that the device's clock is far off;
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
