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
    /// The uptime at the confirmation, in milliseconds, and in which start that was.
    private var confirmedUptime: UInt64 = 0
    private var confirmedBoot: UInt64 = 0
    /// LB without the build date: never falls until time is confirmed again.
    private(set) var bound: UInt64 = 0
    /// The start of the last look at the uptime.
    private var boot: UInt64 = 0
    /// Seconds of uptime that the window has seen. A restart adds more than a claim lives, so that it ends every claim.
    private(set) var tick: UInt64 = 0
    /// `tick` less the uptime, in this start.
    private var tickBase: Int64 = 0

    init() {}

    /// - Parameter words: any; what no window writes becomes a time that one could have.
    init(words: ArraySlice<UInt64>) {
        let words = Array(words)
        confirmed = min(words[0], Timestamp.millisecondsMax)
        (confirmedUptime, confirmedBoot) = (words[1], words[2])
        bound = min(words[3], Timestamp.millisecondsMax)
        boot = words[4]
        tick = min(words[5], ReplayRecord.tickMax)
        tickBase = Int64(bitPattern: words[6])
    }

    var words: [UInt64] {
        [confirmed, confirmedUptime, confirmedBoot, bound, boot, tick, UInt64(bitPattern: tickBase)]
    }

    /// Whether the bound is the time itself: it was confirmed since the device was started.
    var isConfirmed: Bool { confirmed > 0 && confirmedBoot == boot }

    /// Goes on to the uptime of now.
    mutating func pass(to uptime: Uptime) {
        let seconds = Int64(clamping: uptime.milliseconds / 1_000)
        if uptime.boot != boot {
            boot = uptime.boot
            tickBase = Int64(tick + ReplayRecord.claimTicks + 1) &- seconds
        }
        tick = min(UInt64(max(Int64(tick), tickBase &+ seconds)), ReplayRecord.tickMax)
        guard isConfirmed, uptime.milliseconds > confirmedUptime else { return }
        let (time, isPast) = confirmed.addingReportingOverflow(uptime.milliseconds - confirmedUptime)
        bound = max(bound, isPast ? Timestamp.millisecondsMax : min(time, Timestamp.millisecondsMax))
    }

    /// Puts a confirmation in the place of all that was believed before.
    ///
    /// - Parameters:
    ///   - time: in milliseconds since 1970.
    ///   - uptime: of now.
    mutating func confirm(_ time: UInt64, at uptime: Uptime) {
        pass(to: uptime)
        confirmed = min(time, Timestamp.millisecondsMax)
        (confirmedUptime, confirmedBoot) = (uptime.milliseconds, uptime.boot)
        bound = confirmed
    }

    /// Whether a file that says `old` must hear of this although there is nothing else to write.
    func isWorthWriting(over old: WindowTime) -> Bool {
        // A window that nobody has looked at yet is no later for being looked at.
        boot != old.boot && old.boot != 0 || confirmed != old.confirmed || confirmedUptime != old.confirmedUptime
            || bound < old.bound || bound - old.bound >= Self.writeInterval
    }
}
