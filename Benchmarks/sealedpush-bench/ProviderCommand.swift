import APNS
import APNSProvider
import Bench
import CommandLineTool
import Envelope
import Networking
import Primitives

/// Child processes that send notifications to a server, one for each mode, beside one that sends none.
struct ProviderCommand: Command {
    static let name = "provider"
    static let summary = "times sending to any server that answers 200"
    static let operands = ""
    static let options = [
        Option("--target", "HOST:PORT", "the server to send to: any that answers 200", isRequired: true),
        Option("--notifications", "N", "notifications to send, 1 to 100000000; 200000 without it"),
        Option("--size", "N", "bytes of each; 1024 without it"),
        Option("--connections", "N", "1 to 64; 1 without it"),
        Option("--streams", "N", "notifications at once on each connection, 1 to 10000; 1000 without it"),
        Option("--mode", "MODE", "loop, default, batch or all; all without it"),
        Option("--round-trip", "MS", "added round-trip time to the server, 1 to 1000; none without it"),
        Option("--ca", "FILE", "the authority to trust instead of the system's"),
        Option("--provider-key", "FILE", "a .p8 signing key, with --key-id and --team-id; one made up without it"),
        Option("--key-id", "ID", "the key's ten characters"),
        Option("--team-id", "ID", "the team's ten characters"),
        .allowExampleKeys, .json,
    ]
    static let example = """
        Example:
          sealedpush-bench provider --target localhost:2197 --ca keys-example/ca.pem

        Each mode has a process of its own, whose memory is beside that of one which sends nothing. 'loop' sends from tasks on
        the client's event loop, 'default' from tasks on the global pool.
        """

    private let arguments: Arguments
    private let endpoint: APNSEndpoint
    private let notificationCount: Int
    private let payloadByteCount: Int
    private let connectionCount: Int
    private let inFlightCount: Int
    private let roundTrip: Duration
    private let modes: [ProviderBench.Mode]

    init(_ arguments: Arguments) throws(CommandError) {
        try arguments.noOperands()
        try self.init(load: arguments)
    }

    fileprivate init(load arguments: Arguments) throws(CommandError) {
        self.arguments = arguments
        let (host, port) = try arguments.hostAndPort("--target")
        endpoint = APNSEndpoint(host: host, port: port)
        notificationCount = try arguments.number("--notifications", 1...100_000_000) ?? 200_000
        payloadByteCount = try arguments.number("--size", ProviderBench.payloadByteCounts) ?? 1_024
        connectionCount = try arguments.number("--connections", 1...64) ?? 1
        inFlightCount = try arguments.number("--streams", 1...10_000) ?? 1_000
        roundTrip = .milliseconds(try arguments.number("--round-trip", 1...1_000) ?? 0)
        let word = arguments.value("--mode") ?? "all"
        guard let modes = word == "all" ? ProviderBench.Mode.allCases : ProviderBench.Mode(rawValue: word).map({ [$0] })
        else { throw arguments.wrong("--mode must be loop, default, batch or all") }
        self.modes = modes
        if arguments.value("--provider-key") == nil {
            try arguments.refuse("--key-id", "--team-id", because: "goes only with --provider-key")
        }
    }

    func run() throws(CommandError) {
        Optimization.warnIfMissing()
        let empty = try line(of: ProviderProcess.emptyWord)
        guard let emptyByteCount = Int(empty) else { throw .failed("the memory of a process could not be read") }
        if !arguments.flag(.json) { try Output.print(head(emptyByteCount)) }
        var lostCount = 0
        for mode in modes {
            guard let report = ProviderBenchReport(line: try line(of: mode.rawValue)) else {
                throw .failed("the process that sends printed no figures; this is a bug")
            }
            try Output.print(
                arguments.flag(.json) ? json(mode, report, emptyByteCount) : row(mode, report, emptyByteCount)
            )
            lostCount += report.notAcceptedCount + report.failureCount
        }
        guard lostCount == 0 else {
            throw .failed("\(lostCount) notifications were not answered with 200: these figures are of something else")
        }
    }

    private func line(of word: String) throws(CommandError) -> String {
        var words = [ProviderProcess.name, word]
        for option in Self.options where option.name != Option.json.name {
            if let value = arguments.value(option.name) { words.append("\(option.name)=\(value)") }
            if arguments.flag(option) { words.append(option.name) }
        }
        guard let line = try MeasuredProcess.line(of: words) else {
            throw .failed("the process that sends failed; its output is above")
        }
        return line
    }

    fileprivate func measure(_ mode: ProviderBench.Mode) async throws(CommandError) -> ProviderBenchReport {
        let bench = ProviderBench(
            endpoint: endpoint,
            trust: try arguments.trust(),
            tokens: try tokens(),
            notificationCount: notificationCount,
            payloadByteCount: payloadByteCount,
            connectionCount: connectionCount,
            inFlightCount: inFlightCount,
            roundTrip: roundTrip
        )
        do {
            return try await bench.run(mode)
        } catch ProviderError.notProcessed(let failure) {
            throw .failed(
                "\(TerminalText.safe(endpoint.host)):\(endpoint.port): \(TransportError.notProcessed(failure.cause).sentence)"
            )
        } catch {
            throw .failed("nothing could be sent, or the memory of a process not be read")
        }
    }

    private func tokens() throws(CommandError) -> ProviderTokenSource {
        guard arguments.value("--provider-key") != nil else {
            do { return try ThrowawayProviderKey.tokens() } catch { throw .failed("no signing key could be made") }
        }
        return ProviderTokenSource(
            key: try arguments.signingKey(),
            keyID: try arguments.keyID(),
            teamID: try arguments.teamID()
        )
    }

    // MARK: Text

    private func head(_ emptyByteCount: Int) -> String {
        """
        \(notificationCount) notifications of \(payloadByteCount) bytes to \
        \(TerminalText.safe(endpoint.host)):\(endpoint.port); connections: \(connectionCount), at once on each: \
        \(inFlightCount)
        CPU is user and system time of the whole process; memory is RssAnon + RssShmem + VmSwap above that of a process which
        sends nothing, \(emptyByteCount / 1_000) kB
        """
    }

    private func row(_ mode: ProviderBench.Mode, _ report: ProviderBenchReport, _ emptyByteCount: Int) -> String {
        let name = mode.rawValue + String(repeating: " ", count: max(0, 7 - mode.rawValue.count))
        return
            "\(name)  \(report.notificationsPerSecond)/s, CPU \(Self.thousandths(report.cpuNanosecondsPerNotification)) µs, "
            + "latency p50 \(Self.thousandths(report.medianNanoseconds / 1_000)) ms, "
            + "p99 \(Self.thousandths(report.p99Nanoseconds / 1_000)) ms, "
            + "memory \((report.peakByteCount - emptyByteCount) / 1_000) kB, "
            + "not 200: \(report.notAcceptedCount), no answer: \(report.failureCount)"
    }

    private static func thousandths(_ value: Int) -> String {
        let digits = String(value % 1_000)
        return "\(value / 1_000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }

    private func json(_ mode: ProviderBench.Mode, _ report: ProviderBenchReport, _ emptyByteCount: Int) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("mode", mode.rawValue)
            writer.member("notifications", report.notificationCount)
            writer.member("not-200", report.notAcceptedCount)
            writer.member("no-answer", report.failureCount)
            writer.member("per-second", report.notificationsPerSecond)
            writer.member("cpu-nanoseconds", report.cpuNanosecondsPerNotification)
            writer.member("median-nanoseconds", report.medianNanoseconds)
            writer.member("p99-nanoseconds", report.p99Nanoseconds)
            writer.member("peak-bytes", report.peakByteCount)
            writer.member("empty-bytes", emptyByteCount)
            guard roundTrip > .zero else { return }
            writer.name("answers-per-round-trip")
            writer.array { writer in
                for count in report.answersPerRoundTrip { writer.integer(count) }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

struct ProviderProcess: MeasuredCommand {
    static let name = "provider-process"
    static let operands = "empty|MODE"
    static let options = ProviderCommand.options
    static let emptyWord = "empty"

    private let mode: ProviderBench.Mode?
    private let bench: ProviderCommand

    init(_ arguments: Arguments) throws(CommandError) {
        let word = try arguments.operand("MODE")
        mode = ProviderBench.Mode(rawValue: word)
        guard mode != nil || word == Self.emptyWord else { throw Self.failure }
        bench = try ProviderCommand(load: arguments)
    }

    func run() async throws(CommandError) {
        if let mode { return try Output.print(try await bench.measure(mode).line) }
        do { try Output.print(String(try ProviderBench.emptyByteCount())) } catch let error as CommandError {
            throw error
        } catch {
            throw .failed("the memory of a process could not be read")
        }
    }
}
