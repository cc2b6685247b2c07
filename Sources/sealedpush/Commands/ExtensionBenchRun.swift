import Bench
import Envelope
import Glibc
import NotificationServiceExtension

/// Two processes of this program, one with our extension and one with an extension that does nothing, on the same number
/// of the same kinds of pushes.
struct ExtensionBenchRun {
    /// Of the measured process: no command that a person would call.
    static let processName = "bench-extension-process"
    private static let emptyWord = "empty"
    private static let oursWord = "sealedpush"

    let pushCount: Int
    let printsJSON: Bool

    func run() throws(CommandFailure) {
        let empty = try measure(Self.emptyWord)
        let before = try MachineTimes()
        let ours = try measure(Self.oursWord)
        let stolen = try MachineTimes().stolenPerMille(since: before)
        try Output.print(printsJSON ? json(ours, empty, stolen) : table(ours, empty, stolen))
        for report in [ours, empty] where report.handlerCallCount != pushCount || report.pushCount != pushCount {
            throw .failed("\(pushCount) pushes, \(report.handlerCallCount) calls of the handler")
        }
    }

    /// The measured process itself.
    static func runProcess(_ words: [String]) throws(CommandFailure) {
        guard words.count == 2, let descriptor = words.last.flatMap({ Int32($0) }) else {
            throw .failed("this is a part of 'sealedpush bench extension'")
        }
        do {
            try Output.print(
                try ExtensionBenchProcess.run(descriptor: descriptor, isEmpty: words.first == emptyWord).line
            )
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw .failed("a push could not be read, or the memory that is used")
        }
    }

    private func measure(_ word: String) throws(CommandFailure) -> ExtensionRunReport {
        let container = try AppContainer()
        var input: [Int32] = [0, 0]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &input) == 0 else {
            throw .failed("no channel to a child process: \(Output.systemText(errno))")
        }
        // The child inherits the one end that it reads pushes from.
        _ = fcntl(input[1], F_SETFD, FD_CLOEXEC)
        var isFed = false
        let line = try MeasuredProcess.line(of: [Self.processName, word, String(input[0])]) {
            close(input[0])
            isFed = feed(input[1], word, containerPath: container.groupPath)
        }
        guard isFed, let report = line.flatMap({ ExtensionRunReport(line: $0) }) else {
            throw .failed("the process that runs the extension failed; what it said is above")
        }
        return report
    }

    /// - Returns: false where the process did not take all of it: its own words say why.
    private func feed(_ descriptor: Int32, _ word: String, containerPath: String) -> Bool {
        do {
            var bench = try ExtensionBench(containerPath: containerPath, pushCount: pushCount)
            try bench.feed(descriptor) { count in
                guard count % 1_000 == 0 || count == pushCount else { return }
                Output.progress("\(word): \(count) of \(pushCount) pushes", isLast: count == pushCount)
            }
            return true
        } catch {
            return false
        }
    }
}

extension ExtensionBenchRun {
    private func table(_ ours: ExtensionRunReport, _ empty: ExtensionRunReport, _ stolenPerMille: Int) -> String {
        let above = ours.peakByteCount - empty.peakByteCount
        return """
            \(pushCount) pushes: 50 in 100 good, 10 repeated, 10 altered, 30 cut, expired, for another, by a stranger, unsealed;
            each comes when the process has nothing more to do for the one before
            push to handler     median \(microseconds(ours.median)), p99 \(microseconds(ours.p99)), \
            p99.9 \(microseconds(ours.p999)), longest \(microseconds(ours.maximum))
            of it CPU           median \(microseconds(ours.cpuMedian)), p99 \(microseconds(ours.cpuP99))
            the empty one       median \(empty.median) ns, p99 \(empty.p99) ns; ours is \(ours.p99 / max(empty.p99, 1)) times its p99
            CPU for one push    \(microseconds(ours.cpuPerPush)), with what comes after its answer; the empty one \
            \(microseconds(empty.cpuPerPush))
            the machine         gave others \(stolenPerMille / 10).\(stolenPerMille % 10) % of its processors' time (steal in /proc/stat)
            peak memory         \(kilobytes(ours.peakByteCount)), the empty one \(kilobytes(empty.peakByteCount)), \
            above it \(kilobytes(above))
                                RssAnon + RssShmem + VmSwap of /proc/self/status, read after every 16th push
            opened              \(ours.openedCount); handler calls \(ours.handlerCallCount)
            aims                p99 < 1 ms: \(ours.p99 < ExtensionBench.Aim.p99Nanoseconds ? "met" : "missed"); \
            memory above the empty one ≤ 4 MB: \
            \(above <= ExtensionBench.Aim.byteCountAboveEmpty ? "met" : "missed")
            """
    }

    private func json(_ ours: ExtensionRunReport, _ empty: ExtensionRunReport, _ stolenPerMille: Int) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("pushes", pushCount)
            writer.member("stolen-per-mille", stolenPerMille)
            for (name, report) in [("sealedpush", ours), ("empty", empty)] {
                writer.name(name)
                writer.object { writer in
                    writer.member("handler-calls", report.handlerCallCount)
                    writer.member("opened", report.openedCount)
                    writer.member("median-nanoseconds", Int(report.median))
                    writer.member("p99-nanoseconds", Int(report.p99))
                    writer.member("p999-nanoseconds", Int(report.p999))
                    writer.member("longest-nanoseconds", Int(report.maximum))
                    writer.member("cpu-to-handler-median-nanoseconds", Int(report.cpuMedian))
                    writer.member("cpu-to-handler-p99-nanoseconds", Int(report.cpuP99))
                    writer.member("cpu-nanoseconds", Int(report.cpuPerPush))
                    writer.member("peak-bytes", report.peakByteCount)
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func microseconds(_ nanoseconds: UInt64) -> String { "\(nanoseconds / 1_000) µs" }

    private func kilobytes(_ byteCount: Int) -> String { "\(byteCount / 1_000) kB" }
}
