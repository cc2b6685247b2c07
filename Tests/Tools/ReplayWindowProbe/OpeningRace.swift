import Envelope
import Glibc
import Keys
package import Opening
import TestSupport

/// One of two processes that open the same messages, round after round: both start at once, and each opens after a
/// delay of its own and by a wall clock of its own, while the uptime is the machine's.
///
/// Prints `round verdict begin end` for each round, begin and end in nanoseconds of the machine's clock, and then
/// `end`.
package struct OpeningRace {
    /// The largest error of a wall clock, in milliseconds.
    private static let skewMax: Int64 = 50
    /// The longest delay of a process in a round, in nanoseconds. About the length of a claim.
    private static let delayMax: UInt64 = 300_000

    let folder: String
    let seed: UInt64
    /// 0 or 1.
    let number: UInt64

    /// The device and its only contact, the same for a seed in every process.
    package static func device(seed: UInt64) -> DeviceKeys {
        var random = SeededRandom(seed: seed)
        return DeviceKeys(topic: topic, random: &random)
    }

    private static let topic: BundleID = {
        do { return try BundleID("com.example.chat") } catch { preconditionFailure("a bundle id") }
    }()

    /// File with the sender's key and then the messages, a line each.
    package static let messagesName = "messages"

    func run() throws(ProbeFailure) {
        let lines: [String]
        let sender: SenderKey
        do {
            let bytes = try WholeFile.read(folder + "/" + Self.messagesName, byteCountMax: 1 << 30)
            lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            sender = try SenderKey(text: lines.first ?? "")
        } catch {
            throw ProbeFailure(text: "no messages: \(error)")
        }
        let window: ReplayWindow
        do { window = try ReplayWindow(folder: folder) } catch { throw ProbeFailure(text: "no window: \(error)") }
        let opener = MessageOpener(
            keyRing: Self.device(seed: seed).keyRing,
            contacts: ContactList(people: [sender]),
            replay: .window(window)
        )
        let barrier = try RaceBarrier(folder: folder, number: number)
        // The other process must not wait for this one, however it ends.
        defer { barrier.leave() }
        var random = SeededRandom(seed: seed &* 2 &+ number)
        var text = ""
        for (round, field) in lines.dropFirst().enumerated() {
            let skew = Int64.random(in: -Self.skewMax...Self.skewMax, using: &random)
            let delay = UInt64.random(in: 0...Self.delayMax, using: &random)
            barrier.pass(UInt64(round) * 2 + 1)
            let begin = Self.nanoseconds()
            while Self.nanoseconds() < begin + delay {}
            let opened = opener.open(sealedField: field, now: Self.wallClock(skew))
            let end = Self.nanoseconds()
            // In every other round both have opened before either claims, so that the claim alone stands between them.
            if round % 2 == 0 { barrier.pass(UInt64(round) * 2 + 2) }
            if let claim = opened.claim {
                do { try window.commit(claim) } catch { throw ProbeFailure(text: "commit: \(error)") }
            }
            text += "\(round) \(Self.word(opened)) \(begin) \(end)\n"
        }
        ProbeOutput.write(text + "end\n")
    }

    private static func word(_ opened: OpenedPush) -> String {
        switch opened.outcome {
        case .opened where opened.isFirst: "new"
        case .opened: "again"
        case .replay: "replay"
        default: "wrong"
        }
    }

    private static func wallClock(_ skew: Int64) -> Timestamp {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        let milliseconds = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000 + skew
        return Timestamp(milliseconds: UInt64(max(0, milliseconds)))
    }

    private static func nanoseconds() -> UInt64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// A barrier of two processes: a file with a word for each, the last step that it has reached.
private struct RaceBarrier {
    private let descriptor: Int32
    private let number: UInt64

    init(folder: String, number: UInt64) throws(ProbeFailure) {
        descriptor = unsafe open(folder + "/barrier", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ProbeFailure(text: "no barrier: \(errno)") }
        self.number = number
    }

    func leave() { reach(.max) }

    private func reach(_ step: UInt64) {
        var own = step
        _ = unsafe pwrite(descriptor, &own, 8, off_t(number * 8))
    }

    /// Returns once the other process has reached the step as well.
    func pass(_ step: UInt64) {
        reach(step)
        var other: UInt64 = 0
        while other < step {
            _ = unsafe pread(descriptor, &other, 8, off_t((1 - number) * 8))
            if other < step { sched_yield() }
        }
    }
}
