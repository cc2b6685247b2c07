import Bench
import ChildProcesses
import CommandLineTool
import Envelope
import Glibc

/// Attachments: rates in this process, and the memory of child processes, one for each length.
struct AttachmentCommand: Command {
    static let name = "attachment"
    static let summary = "times sealing and opening attachments, and measures their memory"
    static let operands = ""
    static let options = [Option("--size", "N", "MiB each way, 16 to 65536; 256 without it"), .json]
    static let example = """
        Example:
          sealedpush-bench attachment

        'bare' is OpenSSL's AES-256-GCM over the same bytes in the same run; memory is that of processes which open 5, 50 and
        500 MB into a file in $TMPDIR, beside one that does nothing.
        """

    private static let byteCounts = [5_000_000, 50_000_000, 500_000_000]

    private let byteCount: Int
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws(CommandError) {
        try arguments.noOperands()
        byteCount = (try arguments.number("--size", 16...65_536) ?? 256) << 20
        printsJSON = arguments.flag(.json)
    }

    func run() throws(CommandError) {
        Optimization.warnIfMissing()
        let folder = try TemporaryFolder("bench")
        let rates: [AttachmentBench.Rate]
        do {
            rates = try AttachmentBench(byteCount: byteCount, folder: folder.path).rates()
        } catch {
            throw .failed("an attachment could not be sealed or opened, so there are no figures; run the tests")
        }
        let empty = try Self.peak(AttachmentProcess.emptyWord, in: folder.path)
        var peaks: [(byteCount: Int, peak: Int)] = []
        for byteCount in Self.byteCounts {
            peaks.append((byteCount, try Self.peak(String(byteCount), in: folder.path)))
        }
        try Output.print(printsJSON ? json(rates, peaks, empty) : table(rates, peaks, empty))
    }

    private static func peak(_ word: String, in folder: String) throws(CommandError) -> Int {
        let path = folder + "/opened"
        let line = try MeasuredProcess.line(of: [AttachmentProcess.name, word, path])
        // The idle process makes none.
        unsafe unlink(path)
        guard let peak = line.flatMap({ Int($0) }) else {
            throw .failed("the process that opens an attachment failed; its output is above")
        }
        return peak
    }

    private func table(
        _ rates: [AttachmentBench.Rate],
        _ peaks: [(byteCount: Int, peak: Int)],
        _ empty: Int
    ) -> String {
        let width = rates.map(\.name.count).max() ?? 0
        let rateLines = rates.map { rate in
            let gap = String(repeating: " ", count: width - rate.name.count)
            let aim = rate.aimPerMille.map { "; aim ≥ \(Self.ratio($0)): \(rate.isMet ? "met" : "missed")" } ?? ""
            return
                "\(rate.name)\(gap)  \(rate.bytesPerSecond / 1_000_000) MB/s, \(Self.ratio(rate.perMille)) of bare\(aim)"
        }
        let peakLines = peaks.map { byteCount, peak in
            let above = peak - empty
            let isMet = above <= AttachmentMemory.byteCountMaxAboveEmpty
            return "\(byteCount / 1_000_000) MB: \(peak / 1_000) kB, above the empty process \(above / 1_000) kB; "
                + "aim ≤ 4 MB: \(isMet ? "met" : "missed")"
        }
        let head = "\(byteCount >> 20) MiB each way, in pieces of 16 KiB; CPU time of one thread"
        let memory = "peak memory, RssAnon + RssShmem + VmSwap; the empty process has \(empty / 1_000) kB"
        return ([head] + rateLines + ["", memory] + peakLines).joined(separator: "\n")
    }

    private static func ratio(_ perMille: Int) -> String {
        let digits = String(perMille % 1_000)
        return "\(perMille / 1_000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }

    private func json(
        _ rates: [AttachmentBench.Rate],
        _ peaks: [(byteCount: Int, peak: Int)],
        _ empty: Int
    ) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("rates")
            writer.array { writer in
                for rate in rates {
                    writer.object { writer in
                        writer.member("name", rate.name)
                        writer.member("bytes-per-second", rate.bytesPerSecond)
                        writer.member("per-mille", rate.perMille)
                        if let aim = rate.aimPerMille { writer.member("aim-per-mille", aim) }
                        writer.member("met", rate.isMet)
                    }
                }
            }
            writer.member("empty-bytes", empty)
            writer.name("peaks")
            writer.array { writer in
                for (byteCount, peak) in peaks {
                    writer.object { writer in
                        writer.member("bytes", byteCount)
                        writer.member("peak-bytes", peak)
                    }
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

struct AttachmentProcess: MeasuredCommand {
    static let name = "attachment-process"
    static let operands = "empty|BYTES PATH"
    static let options: [Option] = []
    static let emptyWord = "empty"

    private let byteCount: Int?
    private let path: String

    init(_ arguments: Arguments) throws(CommandError) {
        let words = arguments.operands
        guard words.count == 2, words[0] == Self.emptyWord || Int(words[0]).map({ $0 > 0 }) == true else {
            throw Self.failure
        }
        byteCount = Int(words[0])
        path = words[1]
    }

    func run() throws(CommandError) {
        do {
            try Output.print(String(try AttachmentMemory.peak(byteCount: byteCount, path: path)))
        } catch let error as CommandError {
            throw error
        } catch {
            throw .failed("an attachment could not be opened into \(TerminalText.safe(path)), or memory not be read")
        }
    }
}
