import Envelope
import Platform

/// What the window knows of the time: what a source confirmed, and how long ago by the uptime, which nobody can set. No
/// message and no step of the device's clock changes it.
struct WindowTime: Equatable {
    static let wordCount = 7
    /// How often, in milliseconds, LB is written down while there is nothing else to write.
    private static let writeInterval: UInt64 = 3_600_000

    /// The confirmed time, in milliseconds since 1970; 0 for none yet.
    private(set) var confirmed: UInt64 = 0
    /// The uptime at the confirmation, in milliseconds, and its session.
    private var confirmedUptime: UInt64 = 0
    private var confirmedSession: UInt64 = 0
    /// LB without the build date: never falls until time is confirmed again.
    private(set) var bound: UInt64 = 0
    /// The start of the last look at the uptime; 0 where the process could not tell.
    private var boot: UInt64 = 0
    /// Of this look. Not written.
    private var session: UInt64 = 0
    /// Seconds of uptime that the window has seen. A restart adds more than a claim lives, so that it ends every claim.
    private(set) var tick: UInt64 = 0
    /// `tick` less the uptime, in this start.
    private var tickBase: Int64 = 0

    init() {}

    /// - Parameter words: any; what no window writes becomes a time that one could have.
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

    /// Whether the bound is the time itself: it was confirmed since the device was started, or, where nothing tells one start
    /// from another, by this process. A bound that lags after a restart must not be taken for the time.
    var isConfirmed: Bool { confirmed > 0 && confirmedSession == session }

    /// Goes on to the uptime of now.
    mutating func pass(to uptime: Uptime) {
        let seconds = Int64(clamping: uptime.milliseconds / 1_000)
        if isRestart(to: uptime, seconds) { tickBase = Int64(tick + ReplayRecord.claimTicks + 1) &- seconds }
        (boot, session) = (uptime.boot, uptime.session)
        tick = min(UInt64(max(Int64(tick), tickBase &+ seconds)), ReplayRecord.tickMax)
        guard isConfirmed, uptime.milliseconds > confirmedUptime else { return }
        let (time, isPast) = confirmed.addingReportingOverflow(uptime.milliseconds - confirmedUptime)
        bound = max(bound, isPast ? Timestamp.millisecondsMax : min(time, Timestamp.millisecondsMax))
    }

    /// Where a process cannot tell one start from another, only an uptime that fell does. Read under the lock, it never falls
    /// otherwise. A restart that it does not show leaves a claim of before for 35 seconds more at most.
    private func isRestart(to uptime: Uptime, _ seconds: Int64) -> Bool {
        // One in which nothing was claimed yet begins anew.
        guard tick > 0 else { return true }
        return boot != 0 && uptime.boot != 0 ? uptime.boot != boot : seconds < Int64(tick) &- tickBase
    }

    /// Puts a confirmation in the place of all that was believed before.
    ///
    /// - Parameters:
    ///   - time: in milliseconds since 1970.
    ///   - uptime: of now.
    mutating func confirm(_ time: UInt64, at uptime: Uptime) {
        pass(to: uptime)
        confirmed = min(time, Timestamp.millisecondsMax)
        (confirmedUptime, confirmedSession) = (uptime.milliseconds, uptime.session)
        bound = confirmed
    }

    /// Whether a file that says `old` must hear of this although there is nothing else to write.
    func isWorthWriting(over old: WindowTime) -> Bool {
        // A window that nobody has looked at yet is no later for being looked at.
        boot != old.boot && boot != 0 && old.boot != 0 || confirmed != old.confirmed
            || confirmedUptime != old.confirmedUptime || confirmedSession != old.confirmedSession
            || bound < old.bound || bound - old.bound >= Self.writeInterval
    }
}
