import Bench
import CommandLineTool
import Envelope

/// Sealing and opening: a row for each operation, with its ratio to libsodium's bare calls.
struct CryptoCommand: Command {
    static let name = "crypto"
    static let summary = "times sealing and opening beside libsodium's bare calls"
    static let operands = ""
    static let options = [
        Option("--rounds", "N", "rounds behind each median, 1 to 10000; 51 without it"), .json,
    ]
    static let example = """
        Example:
          sealedpush-bench crypto

        'sum' is the CPU time of libsodium's bare calls for the same work, timed in turn with ours in the same run.
        """

    private let rounds: Int
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws(CommandError) {
        try arguments.noOperands()
        rounds = try arguments.number("--rounds", 1...10_000) ?? 51
        printsJSON = arguments.flag(.json)
    }

    func run() throws(CommandError) {
        Optimization.warnIfMissing()
        var bench = CryptoBench(rounds: rounds)
        let comparisons: [Comparison]
        do {
            comparisons = try bench.comparisons()
        } catch {
            throw .failed("an operation to be timed failed, so there are no figures; run the tests")
        }
        try Output.print(printsJSON ? comparisons.map(\.json).joined(separator: "\n") : Self.table(comparisons))
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

extension Comparison {
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
