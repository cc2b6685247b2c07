import Bench
import ChildProcesses
import CommandLineTool
import Envelope
import Glibc
import NotificationServiceExtension

/// Child processes with our extension, an empty one and one that only calls libsodium, on the same mix of pushes; or our
/// extension under random schedules of mishaps.
struct ExtensionCommand: Command {
    static let name = "extension"
    static let summary = "times the extension beside an empty one, or runs it over random mishaps"
    static let operands = ""
    static let options = [
        Option("--pushes", "N", "pushes to time, 1 to 10000000; 20000 without it"),
        Option("--schedules", "N", "random schedules of mishaps to run instead, 1 to 1000000"),
        Option("--seed", "N", "of the first schedule, the others follow it; random without it"), .json,
    ]
    static let example = """
        Example:
          sealedpush-bench extension --pushes 1000000
          sealedpush-bench extension --schedules 10000

        'empty' is the same program with an extension that calls its handler at once; 'libsodium' one that first makes
        the library's bare calls for opening a message. Figures mean something for an optimised build only.
        A schedule is pushes to a simulated device and its mishaps: locked, full, short of time, called twice. Exit
        code 1 says that the extension broke a promise in one of them; its seed repeats it.
        """

    private let pushCount: Int
    private let schedules: ScheduleBench?
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws(CommandError) {
        try arguments.noOperands()
        printsJSON = arguments.flag(.json)
        pushCount = try arguments.number("--pushes", 1...10_000_000) ?? 20_000
        guard let count = try arguments.number("--schedules", 1...1_000_000) else {
            try arguments.refuse("--seed", because: "goes only with --schedules")
            schedules = nil
            return
        }
        try arguments.refuse("--pushes", because: "does not go with --schedules")
        if printsJSON { throw arguments.wrong("--json does not go with --schedules") }
        let seed = try arguments.number("--seed", 0...Int(Int32.max)) ?? .random(in: 0...Int(Int32.max))
        schedules = ScheduleBench(count: count, seed: UInt64(seed))
    }

    func run() async throws(CommandError) {
        if let schedules { return try await schedules.run() }
        Optimization.warnIfMissing()
        let empty = try measure(.empty)
        let bare = try measure(.libsodium)
        let before = try MachineTimes()
        let ours = try measure(.sealedpush)
        let stolen = try MachineTimes().stolenPerMille(since: before)
        try Output.print(printsJSON ? json(ours, empty, bare, stolen) : table(ours, empty, bare, stolen))
        for report in [ours, empty, bare] where report.handlerCallCount != pushCount || report.pushCount != pushCount {
            throw .failed("\(pushCount) pushes, \(report.handlerCallCount) calls of the handler")
        }
    }

    private func measure(_ kind: ExtensionBenchProcess.Kind) throws(CommandError) -> ExtensionRunReport {
        let folder = try TemporaryFolder("device")
        let groupPath = try folder.make(PrincipalClass.appGroup)
        // The extension finds its container by it; no thread reads the environment yet.
        guard unsafe setenv("SEALEDPUSH_APP_GROUPS", folder.path, 1) == 0 else {
            throw .failed("no environment for a child process: \(Output.systemText(errno))")
        }
        var input: [Int32] = [0, 0]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &input) == 0 else {
            throw .failed("no channel to a child process: \(Output.systemText(errno))")
        }
        // The child inherits only the end from which it reads pushes.
        _ = fcntl(input[1], F_SETFD, FD_CLOEXEC)
        var isFed = false
        let line = try MeasuredProcess.line(of: [ExtensionProcess.name, kind.rawValue, String(input[0])]) {
            close(input[0])
            isFed = feed(input[1], kind.rawValue, containerPath: groupPath)
        }
        guard isFed, let report = line.flatMap({ ExtensionRunReport(line: $0) }) else {
            throw .failed("the process that runs the extension failed; its output is above")
        }
        return report
    }

    /// - Returns: False if the process did not take everything; its own output has the reason.
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

extension ExtensionCommand {
    private func table(
        _ ours: ExtensionRunReport,
        _ empty: ExtensionRunReport,
        _ bare: ExtensionRunReport,
        _ stolenPerMille: Int
    ) -> String {
        let above = ours.peakByteCount - empty.peakByteCount
        return """
            \(pushCount) pushes: 50 in 100 good, 10 repeated, 10 altered, 30 cut, expired, for another, by a stranger, unsealed;
            each comes when the process is idle
            push to handler     median \(microseconds(ours.median)), p99 \(microseconds(ours.p99)), \
            p99.9 \(microseconds(ours.p999)), longest \(microseconds(ours.maximum))
            of it CPU           median \(microseconds(ours.cpuMedian)), p99 \(microseconds(ours.cpuP99)); of messages that open \(microseconds(ours.openedCPUP99))
            libsodium's calls   median \(microseconds(bare.cpuMedian)), p99 \(microseconds(bare.cpuP99)) of CPU; \
            our p99s are \(Self.ratio(ours.cpuP99, bare.cpuMedian)) and \
            \(Self.ratio(ours.openedCPUP99, bare.cpuMedian)) times this median
            the empty one       median \(empty.median) ns, p99 \(empty.p99) ns; ours is \(ours.p99 / max(empty.p99, 1)) times its p99
            CPU for one push    \(microseconds(ours.cpuPerPush)), including the work after its answer; the empty one \
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

    /// With two decimals.
    private static func ratio(_ value: UInt64, _ base: UInt64) -> String {
        let hundredths = value * 100 / max(base, 1)
        return "\(hundredths / 100)." + String(hundredths % 100 + 100).dropFirst()
    }

    private func json(
        _ ours: ExtensionRunReport,
        _ empty: ExtensionRunReport,
        _ bare: ExtensionRunReport,
        _ stolenPerMille: Int
    ) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("pushes", pushCount)
            writer.member("stolen-per-mille", stolenPerMille)
            for (name, report) in [("sealedpush", ours), ("empty", empty), ("libsodium", bare)] {
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
                    writer.member("cpu-to-handler-opened-p99-nanoseconds", Int(report.openedCPUP99))
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

struct ExtensionProcess: MeasuredCommand {
    static let name = "extension-process"
    static let operands = "empty|libsodium|sealedpush DESCRIPTOR"
    static let options: [Option] = []

    private let kind: ExtensionBenchProcess.Kind
    private let descriptor: Int32

    init(_ arguments: Arguments) throws(CommandError) {
        let words = arguments.operands
        guard words.count == 2, let kind = ExtensionBenchProcess.Kind(rawValue: words[0]),
            let descriptor = Int32(words[1])
        else { throw Self.failure }
        self.kind = kind
        self.descriptor = descriptor
    }

    func run() throws(CommandError) {
        do {
            try Output.print(try ExtensionBenchProcess.run(descriptor: descriptor, kind: kind).line)
        } catch let error as CommandError {
            throw error
        } catch {
            throw .failed("a push could not be read, or the memory that is used")
        }
    }
}
