import Envelope
import Platform

/// The window's knowledge of the time: a confirmed time, and the uptime since, which nothing can set. Messages and
/// steps of the device's clock do not affect it.
struct WindowTime: Equatable {
    static let wordCount = 7
    /// The interval, in milliseconds, at which LB alone is written.
    private static let writeInterval: UInt64 = 3_600_000

    /// In milliseconds since 1970; 0 before the first confirmation.
    private(set) var confirmed: UInt64 = 0
    /// The uptime at the confirmation, in milliseconds, and its session.
    private var confirmedUptime: UInt64 = 0
    private var confirmedSession: UInt64 = 0
    /// LB without the build date: never falls until time is confirmed again.
    private(set) var bound: UInt64 = 0
    /// The device start at the last reading of the uptime; 0 if unknown.
    private var boot: UInt64 = 0
    /// The current session; not written.
    private var session: UInt64 = 0
    /// Seconds of uptime seen by the window. A restart adds more than a claim's life, which ends every claim.
    private(set) var tick: UInt64 = 0
    /// `tick` less the uptime, since the device start.
    private var tickBase: Int64 = 0

    init() {}

    /// Clamps words that no window writes to possible times.
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

    /// True if the bound is the time itself: confirmed since the device started, or, where starts are
    /// indistinguishable, by this process. After a restart the bound lags and is not the time.
    var isConfirmed: Bool { confirmed > 0 && confirmedSession == session }

    /// Advances to the current uptime.
    mutating func pass(to uptime: Uptime) {
        let seconds = Int64(clamping: uptime.milliseconds / 1_000)
        if isRestart(to: uptime, seconds) { tickBase = Int64(tick + ReplayRecord.claimTicks + 1) &- seconds }
        (boot, session) = (uptime.boot, uptime.session)
        tick = min(UInt64(max(Int64(tick), tickBase &+ seconds)), ReplayRecord.tickMax)
        guard isConfirmed, uptime.milliseconds > confirmedUptime else { return }
        let (time, isPast) = confirmed.addingReportingOverflow(uptime.milliseconds - confirmedUptime)
        bound = max(bound, isPast ? Timestamp.millisecondsMax : min(time, Timestamp.millisecondsMax))
    }

    /// Detects a restart; without an id of the start, only by a lower uptime, since it is read under the lock. A
    /// restart missed leaves an earlier claim live for at most 35 seconds more.
    private func isRestart(to uptime: Uptime, _ seconds: Int64) -> Bool {
        // A window without claims starts anew.
        guard tick > 0 else { return true }
        return boot != 0 && uptime.boot != 0 ? uptime.boot != boot : seconds < Int64(tick) &- tickBase
    }

    /// Replaces everything known by a confirmation.
    ///
    /// - Parameter time: in milliseconds since 1970.
    mutating func confirm(_ time: UInt64, at uptime: Uptime) {
        pass(to: uptime)
        confirmed = min(time, Timestamp.millisecondsMax)
        (confirmedUptime, confirmedSession) = (uptime.milliseconds, uptime.session)
        bound = confirmed
    }

    /// Checks whether this differs enough from the stored `old` to be written alone.
    func isWorthWriting(over old: WindowTime) -> Bool {
        // Reading a new window changes nothing worth writing.
        boot != old.boot && boot != 0 && old.boot != 0 || confirmed != old.confirmed
            || confirmedUptime != old.confirmedUptime || confirmedSession != old.confirmedSession
            || bound < old.bound || bound - old.bound >= Self.writeInterval
    }
}
