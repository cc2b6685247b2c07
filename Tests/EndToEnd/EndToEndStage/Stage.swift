import Envelope
import HTTPSClient
import Keys
import Platform
import Primitives
import TestCertificates
import TestSupport
import TestWebServer

/// Everything between a back end and a phone, as processes with real sockets: `sealedpushd`, and `sealedpush simulate`
/// as APNs. The tenant's own server, which gets webhooks and fallbacks, is a thread of this process.
public final class Stage: Sendable {
    /// Differences from the usual stage.
    public struct Options: Sendable {
        /// The wait for a receipt before the fallback.
        public var fallbackSeconds: Int?
        /// True if the tenant may send words in clear, by SAP's route.
        public var allowsClearText = false

        /// The usual stage.
        public init() {}
    }

    /// The app's bundle id.
    public static let topic = "com.example.chat"

    /// Calls to the tenant's server, as events; a fallback is one called `no-receipt`.
    public let hooks = EventLog()
    /// The simulator, as APNs.
    public let simulator: Station
    let folder: TemporaryFolder
    let simulatorPorts: JSON
    private let receiver: TestWebServer
    private let apiKey: String
    /// Path of the folder with its files.
    public var folderPath: String { folder.path }
    /// The tenant's key at the relay.
    public var key: String { apiKey }
    private let relay: Guarded<(station: Station, port: Int)?>
    private let files = Guarded<Station?>(nil)

    static let keys = Checkout.path + "/keys-example"
    /// File of the authority that every station trusts.
    public var authorities: String { Self.keys + "/ca.pem" }

    /// Runs a test on a stage of its own, and ends all its processes.
    public static func with<Result>(
        _ options: Options = Options(),
        _ body: (Stage) async throws -> Result
    ) async throws -> Result {
        let stage = try await Stage(options)
        defer { stage.end() }
        return try await body(stage)
    }

    private init(_ options: Options) async throws {
        folder = try TemporaryFolder()
        let hooks = hooks
        let authority = try TestAuthority()
        let identity = try authority.issue()
        receiver = try await TestWebServer.start(identity) { request in
            if let event = try? JSON(request.body) { hooks.add(event) }
            return [.answer("204 No Content", body: []), .close]
        }
        simulator = try Station(
            "sealedpush",
            [
                "simulate", "--json", "--allow-example-keys", "--port", "0", "--device-port", "0", "--control-port",
                "0",
                "--certificate", Self.keys + "/simulator.pem", "--certificate-key", Self.keys + "/simulator.key",
                "--provider-key", Self.keys + "/provider.pub.pem", "--key-id", "EXAMPLEKEY", "--team-id", "EXAMPLTEAM",
                "--environment", "sandbox",
            ]
        )
        simulatorPorts = try await simulator.events.next("ready")
        let key = "spk_" + Base64URL.string([UInt8](repeating: 0x5A, count: 32))
        apiKey = key
        relay = Guarded(nil)
        try writeConfiguration(options, authority)
        try await startRelay()
    }

    private func end() {
        relay.withLock { $0 }?.station.kill()
        files.withLock { $0 }?.kill()
        simulator.kill()
    }

    /// Starts the relay, on its disk as it is.
    public func startRelay() async throws {
        let station = try Station("sealedpushd", ["--config", folder.path("sealedpushd.json")])
        do {
            let port = try await station.events.next("listening")["port"]?.number ?? 0
            _ = try await station.events.next("ready")
            relay.withLock { $0 = (station, port) }
            // From its next start on it has the same port, as phones know it by.
            let path = folder.path("sealedpushd.json")
            let text = String(decoding: try WholeFile.read(path, byteCountMax: 1 << 16), as: UTF8.self)
            let kept = text.replacing(#""127.0.0.1", "port": 0"#, with: #""127.0.0.1", "port": \#(port)"#)
            _ = try folder.makeFile("sealedpushd.json", kept)
        } catch {
            station.kill()
            throw Surprise("\(error): \(station.errors)")
        }
    }

    /// Ends the relay as a crash would.
    public func killRelay() { relay.withLock { $0 }?.station.kill() }

    /// The relay's port.
    public var relayPort: Int { relay.withLock { $0 }?.port ?? 0 }

    /// An answer of the relay.
    public struct Answer: Sendable {
        /// HTTP status.
        public let status: Int
        /// The body's bytes.
        public let body: [UInt8]

        /// The body as JSON.
        ///
        /// - Throws: for invalid JSON.
        public func json() throws -> JSON { try JSON(body) }
    }

    /// Calls the relay as the tenant's back end does, over HTTPS and with its key.
    ///
    /// - Parameters:
    ///   - method: GET, PUT, POST or DELETE.
    ///   - path: from its slash.
    ///   - body: JSON; nil for none.
    /// - Throws: without an answer.
    public func ask(_ method: String, _ path: String, _ body: [UInt8]? = nil) async throws -> Answer {
        guard let method = HTTPSRequest.Method(rawValue: method) else { throw Surprise("no method \(method)") }
        var request = HTTPSRequest(method, "https://localhost:\(relayPort)\(path)")
        request.fields = [("authorization", "Bearer \(apiKey)"), ("content-type", "application/json")]
        request.trust = .file(path: authorities)
        request.body = body.map { HTTPSRequest.Body(bytes: $0) }
        return try await Self.onThread { [request] in
            var answer: [UInt8] = []
            let head = try HTTPSExchange().run(
                request,
                onBytes: { bytes in
                    unsafe bytes.withUnsafeBytes { unsafe answer.append(contentsOf: $0) }
                    return answer.count <= 1 << 22
                }
            )
            return Answer(status: head.status, body: answer)
        }
    }

    /// Pushes a record to an endpoint, as a server does that has no key.
    ///
    /// - Parameters:
    ///   - record: base64url.
    ///   - url: of the endpoint; the relay is on this machine instead.
    /// - Returns: the answer's status.
    /// - Throws: without an answer.
    public func push(_ record: String, to url: String) async throws -> Int {
        guard let bytes = Base64URL.decode(Array(record.utf8)) else { throw Surprise("no record") }
        let local = url.replacing("https://push.example.com", with: "https://localhost:\(relayPort)")
        var request = HTTPSRequest(.post, local)
        request.fields = [("ttl", "3600"), ("content-encoding", "aes128gcm")]
        request.trust = .file(path: authorities)
        request.body = HTTPSRequest.Body(bytes: bytes)
        return try await Self.onThread { [request] in try HTTPSExchange().run(request, onBytes: { _ in true }).status }
    }

    /// Waits until the relay reports that state of a notification.
    ///
    /// - Parameter state: `delivered`, say.
    /// - Returns: the relay's whole answer.
    /// - Throws: `Surprise` if it has ended in another state.
    public func state(_ state: String, of id: String) async throws -> JSON {
        let ends = ["delivered", "dead", "expired"]
        while true {
            let answer = try await ask("GET", "/v1/notifications/\(id)").json()
            let found = answer["state"]?.text ?? ""
            if found == state { return answer }
            guard !ends.contains(found) else { throw Surprise("it is \(found): \(answer)") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Starts a host of attachments, `files.example.com`.
    ///
    /// - Returns: its port, and the token of a tenant.
    public func startFiles() async throws -> (port: Int, token: String) {
        let (token, tenants) = (folder.path("files.token"), folder.path("tenants.txt"))
        let words = ["token", "--name", "acme", "--out", token]
        _ = try folder.makeFile("tenants.txt", LineProcess(LineProcess.path(of: "sealedpush-blobs"), words).rest())
        let host = try Station(
            "sealedpush-blobs",
            [
                "serve", "--json", "--allow-example-keys", "--port", "0", "--folder", folder.path("files"),
                "--tenants", tenants, "--certificate", Self.keys + "/files.pem",
                "--certificate-key", Self.keys + "/files.key",
            ]
        )
        files.withLock { $0 = host }
        let text = try String(decoding: WholeFile.read(token, byteCountMax: 1_024), as: UTF8.self)
        let port = try await host.events.next("ready")["port"]?.number ?? 0
        return (port, text.filter { !$0.isWhitespace })
    }

    /// A copy of the tenant's picture, in a folder that may get more files.
    public func copyOfPicture() throws -> String {
        let bytes = try WholeFile.read(Self.keys + "/picture.png", byteCountMax: 1 << 20)
        let path = folder.path("picture.png")
        try WholeFile.write(bytes, to: path, access: .ownerOnly)
        return path
    }

    /// Calls the simulator's control API, for its devices and its clock.
    ///
    /// - Returns: the answer's body.
    @discardableResult
    public func control(_ path: String, _ body: String) async throws -> [UInt8] {
        let port = simulatorPorts["control-port"]?.number ?? 0
        let fields = ["Host: localhost", "Authorization: Bearer \(simulatorPorts["control-bearer"]?.text ?? "")"]
        let answer = try await Self.onThread {
            try PlainCaller.call(UInt16(port), "POST \(path)", fields, body: body)
        }
        guard (200..<300).contains(answer.status) else {
            throw Surprise("the simulator answered \(answer.status) to \(path)")
        }
        return Array(answer.body.utf8)
    }

    static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let isStarted = DetachedThread.start(stackByteCount: 1 << 20) {
                continuation.resume(with: Result { try body() })
            }
            precondition(isStarted)
        }
    }

    private func writeConfiguration(_ options: Options, _ authority: TestAuthority) throws {
        let authorityPEM = try String(decoding: authority.certificatePEM, as: UTF8.self)
        let hookAuthorities = try folder.makeFile("hooks.pem", authorityPEM)
        let secret = try folder.makeFile("hook.key", "whsec_" + String(repeating: "h", count: 32))
        var random = SystemRandom()
        let token = try folder.makeFile("token.key", Base64URL.string(random.bytes(count: 32)))
        let hook = """
            "url": "https://localhost:\(receiver.port)/hook", "allowed-ranges": ["127.0.0.0/8", "::1/128"], \
            "authorities-file": "\(hookAuthorities)", "secret-file": "\(secret)"
            """
        let fallback = options.fallbackSeconds.map {
            #""fallback": {\#(hook), "kind": "webhook", "after-seconds": \#($0), "text": "Open the app"},"#
        }
        let hash = Base64URL.string(SHA256.hash(Array("SealedPush/1 API key\(apiKey)".utf8)))
        let text = """
            {
              "listen": [{"address": "127.0.0.1", "port": 0}],
              "tls": {
                "certificate-file": "\(Self.keys)/relay.pem", "key-file": "\(try copy("relay.key"))"
              },
              "database-file": "\(folder.path("store.sqlite"))", "token-key-file": "\(token)",
              "tenants": [{
                "id": "acme", "allows-clear-text": \(options.allowsClearText), "webhook": {\(hook)},
                "keys": [{"name": "back-end", "hash": "\(hash)", "scopes": ["send", "manage", "read", "metrics"]}],
                "apps": [{
                  "bundle-id": "\(Self.topic)", "environment": "sandbox", "receipts": true, \(fallback ?? "")
                  "gateway": {"origin": "https://push.example.com", "enrolment": {"by": "open"}},
                  "credential": {
                    "key-file": "\(try copy("provider.p8"))", "key-id": "EXAMPLEKEY", "team-id": "EXAMPLTEAM"
                  },
                  "endpoint": {
                    "host": "localhost", "port": \(simulatorPorts["push-port"]?.number ?? 0),
                    "authorities-file": "\(authorities)"
                  },
                  "placeholder": {"body": "You have a new message"}
                }]
              }]
            }
            """
        _ = try folder.makeFile("sealedpushd.json", text)
    }

    /// Copies a file without its mark as an example: the relay accepts no example keys.
    private func copy(_ name: String) throws -> String {
        let text = try String(decoding: WholeFile.read(Self.keys + "/" + name, byteCountMax: 1 << 16), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("#") }
        return try folder.makeFile(name, lines.joined(separator: "\n") + "\n")
    }
}

enum Checkout {
    static var path: String {
        let parts = #filePath.split(separator: "/").dropLast(4)
        return "/" + parts.joined(separator: "/")
    }
}
