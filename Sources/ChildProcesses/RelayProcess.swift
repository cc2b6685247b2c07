package import CommandLineTool
package import Envelope
import Glibc
package import HTTPSClient
import Keys
import Primitives

/// Relay in a child process, and a back end's calls to it.
package final class RelayProcess {
    package let port: Int64
    /// Of each tenant.
    package let apiKeys: [String]
    package let interruptedCount: Int
    private let process: ChildProcess
    private let authorities: String
    private var attempts: [String: JSONValue] = [:]

    /// Makes the device token key; copies the other keys beside it.
    package static func makeTokenKey(_ configuration: RelayConfiguration, stop: StopSignal) throws(CommandError) {
        try run(["make-key", configuration.tokenKeyFile], stop).wait()
        for name in ["relay.key", "provider.p8"] { try copyKey(name, configuration) }
    }

    /// The relay refuses example keys; it gets unmarked copies in a temporary folder.
    private static func copyKey(_ name: String, _ configuration: RelayConfiguration) throws(CommandError) {
        do throws(FileError) {
            let key = try PrivateFile.read("\(configuration.keys)/\(name)", exampleKeys: .allowed)
            var bytes = key.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
            // Removes the mark, or changes the bytes by which the provider's key is recognised.
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")), bytes[0] == UInt8(ascii: "#") {
                bytes.removeSubrange(...end)
            } else {
                bytes.append(UInt8(ascii: "\n"))
            }
            try WholeFile.write(bytes, to: "\(configuration.folder)/\(name)", access: .ownerOnly)
        } catch {
            throw .file(error)
        }
    }

    /// Parses "key spk_…".
    private static func word(_ line: [UInt8], behind name: String) throws(CommandError) -> String {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard words.count == 2, words[0] == name else {
            throw .failed("'sealedpushd make-api-key' printed another form")
        }
        return String(words[1])
    }

    /// - Parameters:
    ///   - configuration: with an existing token key.
    ///   - processor: pins the relay; nil for none.
    ///   - keepsLog: for `end`.
    package init(
        _ configuration: RelayConfiguration,
        processor: Int32? = nil,
        keepsLog: Bool = false,
        stop: StopSignal
    ) throws(CommandError) {
        var (apiKeys, hashes) = ([String](), [String]())
        for _ in configuration.tenants {
            let maker = try Self.run(["make-api-key"], stop)
            apiKeys.append(try Self.word(try maker.nextLine(), behind: "key"))
            hashes.append(try Self.word(try maker.nextLine(), behind: "hash"))
            try maker.wait()
        }
        self.apiKeys = apiKeys
        authorities = configuration.keys + "/ca.pem"
        let path = configuration.folder + "/sealedpushd.json"
        let file = configuration.json(keyHashes: hashes)
        do throws(FileError) { try WholeFile.write(file, to: path, access: .ownerOnly) } catch { throw .file(error) }
        process = try Self.run(["--config", path], stop, processor: processor)
        process.keepsTranscript = keepsLog
        let opened = try process.next(event: "store-opened")
        interruptedCount = Int(try opened.integer("interrupted"))
        port = try process.next(event: "listening").integer("port")
        _ = try process.next(event: "ready")
    }

    private static func run(
        _ arguments: [String],
        _ stop: StopSignal,
        processor: Int32? = nil
    ) throws(CommandError) -> ChildProcess {
        try ChildProcess(beside: "sealedpushd", arguments, processor: processor, stop: stop)
    }

    package var processID: Int32 { process.id }

    /// Reads and drops the log, so that the relay does not block.
    package func drainLog() -> OutputDrain { OutputDrain(of: process) }

    package func stop() { process.stop() }

    /// Stops it.
    ///
    /// - Returns: the log, if it was kept.
    package func end() throws(CommandError) -> [UInt8] {
        try process.end()
        return process.transcript
    }

    package func crash() { process.crash() }

    /// Finds the log line of a trace's first attempt.
    package func attempt(of trace: String) throws(CommandError) -> JSONValue {
        while true {
            if let attempt = attempts[trace] { return attempt }
            let line = try process.next(event: "attempt")
            attempts[try line.text("trace")] = line
        }
    }

    /// - Parameters:
    ///   - path: from its slash.
    ///   - body: JSON; nil for none.
    package func call(
        _ method: HTTPSRequest.Method,
        _ path: String,
        _ body: [UInt8]? = nil
    ) throws(CommandError) -> (status: Int, bytes: [UInt8]) {
        var request = HTTPSRequest(method, "https://localhost:\(port)\(path)")
        request.fields = [("authorization", "Bearer \(apiKeys[0])"), ("content-type", "application/json")]
        request.trust = .file(path: authorities)
        request.body = body.map { HTTPSRequest.Body(bytes: $0) }
        var answer: [UInt8] = []
        do throws(HTTPSError) {
            let head = try HTTPSExchange().run(
                request,
                onBytes: { bytes in
                    unsafe bytes.withUnsafeBytes { unsafe answer.append(contentsOf: $0) }
                    return answer.count <= 1 << 20
                }
            )
            return (head.status, answer)
        } catch {
            throw .failed("the relay did not answer; its output is above")
        }
    }

    package func ask(
        _ method: HTTPSRequest.Method,
        _ path: String,
        _ body: [UInt8]? = nil
    ) throws(CommandError) -> (status: Int, json: JSONValue?) {
        let answer = try call(method, path, body)
        return (answer.status, answer.bytes.isEmpty ? nil : try process.parse(answer.bytes))
    }
}
