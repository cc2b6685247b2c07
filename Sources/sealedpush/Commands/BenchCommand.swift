import Bench
import Envelope

/// What sealing, opening, attachments and the extension cost on this machine.
struct BenchCommand: Command {
    static let name = "bench"
    static let summary = "times sealing, opening, attachments and the extension beside what they cannot do without"
    static let operands = "crypto|attachment|extension|fetch"
    static let options = [
        Option("--rounds", "N", "crypto: how many rounds the medians are over, 1 to 10000; 51 without it"),
        Option("--size", "MIB", "attachment: how much each way, 16 to 65536; 256 without it"),
        Option("--keys", "FOLDER", "fetch: the example keys, for TLS on localhost; keys-example without it"),
        Option("--pushes", "N", "extension: how many, 1 to 10000000; 20000 without it"),
        Option("--schedules", "N", "extension: how many random schedules of mishaps it gets instead, 1 to 1000000"),
        Option("--seed", "N", "of the first schedule; the others follow it. Random without it"), .json,
    ]
    static let example = """
        Example:
          sealedpush bench crypto
          sealedpush bench attachment
          sealedpush bench extension --pushes 1000000
          sealedpush bench extension --schedules 10000
          sealedpush bench fetch

        crypto: 'sum' is the CPU time of libsodium's bare calls for the same work, timed in turn with ours in the same run.
        attachment: 'bare' is OpenSSL's AES-256-GCM over the same bytes in the same run; memory is that of processes which open
        5, 50 and 500 MB into a file in $TMPDIR, beside one that does nothing.
        extension: 'empty' is the same program with an extension that calls its handler at once. Figures mean something for
        an optimised build only.
        fetch: peak memory of fetching and opening 5, 50 and 500 MB over HTTPS, beside a process that fetched one byte.
        A schedule is pushes to a simulated device and what happens to it: locked, full, short of time, asked twice. Exit
        code 1 says that the extension broke a promise in one of them; its seed repeats it.
        """

    private enum Subject {
        case crypto(rounds: Int)
        case attachment(AttachmentBenchRun)
        case extensionRuns(pushCount: Int)
        case schedules(ScheduleBench)
        case fetch(keys: String)
    }

    private let subject: Subject
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws(CommandFailure) {
        let subject = try arguments.operand("crypto, attachment, extension or fetch")
        if subject != "crypto" { try arguments.refuse("--rounds", because: "is for crypto") }
        if subject != "attachment" { try arguments.refuse("--size", because: "is for attachment") }
        if subject != "fetch" { try arguments.refuse("--keys", because: "is for fetch") }
        if subject != "extension" {
            try arguments.refuse("--pushes", "--schedules", "--seed", because: "is for the extension")
        }
        switch subject {
        case "crypto":
            self.subject = .crypto(rounds: try arguments.number("--rounds", 1...10_000) ?? 51)
        case "attachment":
            let size = try arguments.number("--size", 16...65_536) ?? 256
            self.subject = .attachment(AttachmentBenchRun(byteCount: size << 20, printsJSON: arguments.flag(.json)))
        case "extension": self.subject = try Self.extensionSubject(arguments)
        case "fetch": self.subject = .fetch(keys: arguments.value("--keys") ?? "keys-example")
        default: throw arguments.wrong("bench times crypto, attachment, extension or fetch")
        }
        printsJSON = arguments.flag(.json)
    }

    private static func extensionSubject(_ arguments: Arguments) throws(CommandFailure) -> Subject {
        guard let count = try arguments.number("--schedules", 1...1_000_000) else {
            try arguments.refuse("--seed", because: "is for --schedules")
            return .extensionRuns(pushCount: try arguments.number("--pushes", 1...10_000_000) ?? 20_000)
        }
        try arguments.refuse("--pushes", because: "is not for --schedules")
        if arguments.flag(.json) { throw arguments.wrong("--json is not for --schedules") }
        let seed = try arguments.number("--seed", 0...Int(Int32.max)) ?? .random(in: 0...Int(Int32.max))
        return .schedules(ScheduleBench(count: count, seed: UInt64(seed)))
    }

    func run() async throws(CommandFailure) {
        switch subject {
        case .crypto(let rounds): try runCrypto(rounds: rounds)
        case .attachment(let bench):
            Self.warnIfNotOptimized()
            try bench.run()
        case .extensionRuns(let pushCount):
            Self.warnIfNotOptimized()
            try ExtensionBenchRun(pushCount: pushCount, printsJSON: printsJSON).run()
        case .schedules(let bench): try await bench.run()
        case .fetch(let keys):
            Self.warnIfNotOptimized()
            try await FetchBenchRun(keys: keys, printsJSON: printsJSON).run()
        }
    }

    private static func warnIfNotOptimized() {
        guard !isOptimized else { return }
        Output.complain("sealedpush: figures of an unoptimised build mean nothing; build with --configuration release")
    }

    private func runCrypto(rounds: Int) throws(CommandFailure) {
        Self.warnIfNotOptimized()
        var bench = CryptoBench(rounds: rounds)
        let comparisons: [Comparison]
        do {
            comparisons = try bench.comparisons()
        } catch {
            throw .failed("an operation to be timed failed, so there are no figures; run the tests")
        }
        try Output.print(printsJSON ? comparisons.map(\.json).joined(separator: "\n") : Self.table(comparisons))
    }

    /// Assertions are compiled in exactly when the optimizer is off.
    private static var isOptimized: Bool {
        var isOptimized = true
        assert(
            {
                isOptimized = false
                return true
            }()
        )
        return isOptimized
    }

    private static func table(_ comparisons: [Comparison]) -> String {
        let head = ["", "ours", "sum", "ratio", "aim", ""]
        let rows = comparisons.map { comparison in
            [
                comparison.name, microseconds(comparison.nanoseconds), microseconds(comparison.sumNanoseconds),
                decimal(comparison.perMille, digits: 3), "≤ " + decimal(comparison.aimPerMille, digits: 3),
                comparison.isMet ? "met" : "missed",
            ]
        }
        var parts: [(String, Int)] = []
        for part in comparisons.flatMap(\.parts) where !parts.contains(where: { $0.0 == part.name }) {
            parts.append((part.name, part.nanoseconds))
        }
        return aligned([head] + rows) + "\n\nof which libsodium, where it is first needed:\n"
            + aligned(parts.map { ["  " + $0.0, microseconds($0.1)] })
    }

    /// The first column to the left, the others to the right.
    private static func aligned(_ rows: [[String]]) -> String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let gap = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + gap : gap + cell
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        .joined(separator: "\n")
    }

    private static func microseconds(_ nanoseconds: Int) -> String { decimal(nanoseconds / 10, digits: 2) + " µs" }

    private static func decimal(_ value: Int, digits: Int) -> String {
        let text = String(value)
        let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
        return padded.dropLast(digits) + "." + padded.suffix(digits)
    }
}

extension Arguments {
    fileprivate func refuse(_ options: String..., because reason: String) throws(CommandFailure) {
        for option in options where value(option) != nil { throw wrong("\(option) \(reason)") }
    }
}

extension Comparison {
    /// One line.
    fileprivate var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("name", name)
            writer.member("nanoseconds", nanoseconds)
            writer.member("sum-nanoseconds", sumNanoseconds)
            writer.member("per-mille", perMille)
            writer.member("aim-per-mille", aimPerMille)
            writer.member("met", isMet)
            writer.name("parts")
            writer.object { writer in
                for part in parts { writer.member(part.name, part.nanoseconds) }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
