import Bench
import ChildProcesses
import CommandLineTool
import Envelope
import Glibc
import Keys
import Primitives

/// Child processes that fetch and open an attachment over HTTPS, one for each length, beside one that fetches a single
/// byte. This process serves them.
struct FetchCommand: Command {
    static let name = "fetch"
    static let summary = "measures the memory of fetching attachments"
    static let operands = ""
    static let options = [keysOption, .json]
    static let keysOption = Option(
        "--keys",
        "FOLDER",
        "the example keys, for TLS on localhost; keys-example without it"
    )
    static let example = """
        Example:
          sealedpush-bench fetch

        Peak memory of fetching and opening 5, 50 and 500 MB over HTTPS, beside a process that fetched one byte.
        """

    private static let byteCounts = [5_000_000, 50_000_000, 500_000_000]

    private let keys: String
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws(CommandError) {
        try arguments.noOperands()
        keys = arguments.value("--keys") ?? "keys-example"
        printsJSON = arguments.flag(.json)
    }

    func run() async throws(CommandError) {
        Optimization.warnIfMissing()
        let folder = try TemporaryFolder("bench")
        let server = try await serve()
        let one = try peak(0, server.port, folder.path)
        var peaks: [(byteCount: Int, peak: Int)] = []
        for byteCount in Self.byteCounts { peaks.append((byteCount, try peak(byteCount, server.port, folder.path))) }
        try Output.print(printsJSON ? json(peaks, one) : table(peaks, one))
        withExtendedLifetime(server) {}
    }

    private func serve() async throws(CommandError) -> SealedZerosServer {
        let key: SecretBytes
        do {
            key = try PrivateFile.read(keys + "/simulator.key", exampleKeys: .allowed)
        } catch {
            throw .file(error)
        }
        let chain = try readInput(keys + "/simulator.pem", byteCountMax: 1 << 20)
        do {
            return try await SealedZerosServer.start(certificateChainPEM: chain, privateKeyPEM: key)
        } catch {
            throw .failed("no server could be started with the keys of \(TerminalText.safe(keys))")
        }
    }

    private func peak(_ byteCount: Int, _ port: UInt16, _ folder: String) throws(CommandError) -> Int {
        let path = folder + "/opened"
        defer { unsafe unlink(path) }
        let line = try MeasuredProcess.line(
            of: [FetchProcess.name, "\(byteCount)", "\(port)", keys + "/ca.pem", path]
        )
        guard let peak = line.flatMap({ Int($0) }) else {
            throw .failed("the process that fetches an attachment failed; its output is above")
        }
        return peak
    }

    private func table(_ peaks: [(byteCount: Int, peak: Int)], _ one: Int) -> String {
        let lines = peaks.map { byteCount, peak in
            let above = peak - one
            let isMet = above <= FetchMemory.byteCountMaxAboveOneByte
            return "\(byteCount / 1_000_000) MB: \(peak / 1_000) kB, above one byte \(above / 1_000) kB; "
                + "aim ≤ 4 MB: \(isMet ? "met" : "missed")"
        }
        let head = "peak memory, RssAnon + RssShmem + VmSwap; after one byte over the same TLS it is \(one / 1_000) kB"
        return ([head] + lines).joined(separator: "\n")
    }

    private func json(_ peaks: [(byteCount: Int, peak: Int)], _ one: Int) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("one-byte", one)
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

struct FetchProcess: MeasuredCommand {
    static let name = "fetch-process"
    static let operands = "BYTES PORT AUTHORITIES PATH"
    static let options: [Option] = []

    private let byteCount: UInt64
    private let port: UInt16
    private let authoritiesPath: String
    private let path: String

    init(_ arguments: Arguments) throws(CommandError) {
        let words = arguments.operands
        guard words.count == 4, let byteCount = UInt64(words[0]), let port = UInt16(words[1]) else {
            throw Self.failure
        }
        (self.byteCount, self.port, authoritiesPath, path) = (byteCount, port, words[2], words[3])
    }

    func run() async throws(CommandError) {
        let peak: Int
        do {
            peak = try await FetchMemory.peak(
                byteCount: byteCount == 0 ? nil : byteCount,
                port: port,
                authoritiesPath: authoritiesPath,
                path: path
            )
        } catch {
            throw .failed("an attachment could not be fetched, or opened into \(TerminalText.safe(path))")
        }
        try Output.print(String(peak))
    }
}
