import Envelope
import Platform

/// Confirmed time, and the uptime since, which nothing can set. Neither messages nor the device's clock affect it.
struct WindowTime: Equatable {
    static let wordCount = 7
    /// In milliseconds, for writing LB alone.
    private static let writeInterval: UInt64 = 3_600_000

    /// In milliseconds since 1970; 0 for none.
    private(set) var confirmed: UInt64 = 0
    /// In milliseconds.
    private var confirmedUptime: UInt64 = 0
    private var confirmedSession: UInt64 = 0
    /// LB without the build date; falls only with a confirmation.
    private(set) var bound: UInt64 = 0
    /// Device start when last read; 0 if unknown.
    private var boot: UInt64 = 0
    /// Not written.
    private var session: UInt64 = 0
    /// Seconds of uptime. A restart adds more than a claim's life, ending every claim.
    private(set) var tick: UInt64 = 0
    /// `tick` less the uptime, since the device start.
    private var tickBase: Int64 = 0

    init() {}

    /// Clamps words that no window writes.
    init(words: ArraySlice<UInt64>) {
        let words = Array(words)
        confirmed = min(words[0], Timestamp.millisecondsMax)
        (confirmedUptime, confirmedSession) = (words[1], words[2])
        bound = min(words[3], Timestamp.millisecondsMax)
        boot = words[4]
        tick = min(words[5], ReplayRecord.tickMax)
        tickBase = Int64(bitPattern: words[6])
    }

    var words: [UInt64] {
        [confirmed, confirmedUptime, confirmedSession, bound, boot, tick, UInt64(bitPattern: tickBase)]
    }

    /// True if the bound is the time itself: confirmed since the device started, or by this process if starts are
    /// indistinguishable. After a restart the bound lags.
    var isConfirmed: Bool { confirmed > 0 && confirmedSession == session }

    mutating func pass(to uptime: Uptime) {
        let seconds = Int64(clamping: uptime.milliseconds / 1_000)
        if isRestart(to: uptime, seconds) { tickBase = Int64(tick + ReplayRecord.claimTicks + 1) &- seconds }
        (boot, session) = (uptime.boot, uptime.session)
        tick = min(UInt64(max(Int64(tick), tickBase &+ seconds)), ReplayRecord.tickMax)
        guard isConfirmed, uptime.milliseconds > confirmedUptime else { return }
        let (time, isPast) = confirmed.addingReportingOverflow(uptime.milliseconds - confirmedUptime)
        bound = max(bound, isPast ? Timestamp.millisecondsMax : min(time, Timestamp.millisecondsMax))
    }

    /// Without an id of the start, only a lower uptime, read under the lock, shows a restart. A missed one leaves a
    /// claim live for at most 35 seconds more.
    private func isRestart(to uptime: Uptime, _ seconds: Int64) -> Bool {
        // Without claims, the window starts anew.
        guard tick > 0 else { return true }
        return boot != 0 && uptime.boot != 0 ? uptime.boot != boot : seconds < Int64(tick) &- tickBase
    }

    /// `time` is in milliseconds since 1970.
    mutating func confirm(_ time: UInt64, at uptime: Uptime) {
        pass(to: uptime)
        confirmed = min(time, Timestamp.millisecondsMax)
        (confirmedUptime, confirmedSession) = (uptime.milliseconds, uptime.session)
        bound = confirmed
    }

    /// True if worth writing without other changes.
    func isWorthWriting(over old: WindowTime) -> Bool {
        // Reading a new window is not worth a write.
        boot != old.boot && boot != 0 && old.boot != 0 || confirmed != old.confirmed
            || confirmedUptime != old.confirmedUptime || confirmedSession != old.confirmedSession
            || bound < old.bound || bound - old.bound >= Self.writeInterval
    }
}
