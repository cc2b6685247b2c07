import APNS
import Envelope
import Glibc
import Networking
import Platform
import Primitives
import PushService
import PushStorePattern
import TestCertificates
import TestSupport
import TestWebServer

@testable import APNSSimulator

/// A folder for a service, a simulator as APNs and a server that gets its webhooks; all on this machine, and all but
/// the service in this process.
final class ServiceSite {
    /// A request to the tenant's server, before it is answered.
    typealias Hook = @Sendable (TestWebServer.Request) -> Void

    static let bundleID = "com.example.chat"
    static let keyID = "ABC123DEFG"
    static let teamID = "DEF123GHIJ"
    static let apiKey = "spk_" + String(repeating: "A", count: 43)
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    let folder: TemporaryFolder
    let simulator: Simulator
    let board = EventBoard()
    let receiver: TestWebServer
    private let loop: EventLoop
    private let database: String

    var configuration: String { folder.path("sealedpushd.json") }

    /// - Parameters:
    ///   - limits: members of the configuration's `limits`.
    ///   - tenant: more members of the tenant, each with a comma behind it.
    ///   - app: more members of its app, each with a comma behind it; `HOOK` stands for the members of a webhook.
    ///   - keyPEM: the provider's key; Apple knows the first of the throwaway keys.
    ///   - database: its path; nil for one in the folder.
    ///   - rules: faults of the simulator.
    ///   - hook: gets each request to the tenant's server.
    ///   - answer: of the tenant's server, to each request.
    init(
        limits: String = "",
        tenant: String = "",
        app: String = "",
        keyPEM: String = ThrowawayKeys.firstPEM,
        database: String? = nil,
        rules: [InjectionRule] = [],
        hook: @escaping Hook = { _ in },
        answer: @escaping TestWebServer.Script = { _ in [.answer("204 No Content", body: []), .close] }
    ) async throws {
        folder = try TemporaryFolder()
        let authority = try TestAuthority()
        let server = try authority.issue()
        let identity = try unsafe SimulatorIdentity(
            certificateChainPEM: server.certificatePEM,
            privateKeyPEM: server.privateKeyPEM.span.bytes
        )
        let key = SigningKey(
            id: try KeyID(Self.keyID),
            team: try TeamID(Self.teamID),
            publicKey: try ThrowawayKeys.first().publicKey()
        )
        var configuration = SimulatorConfiguration(keys: [key])
        configuration.faults = InjectedFaults(seed: 1, rules: rules)
        configuration.connections.handshakeSecondsMax = 600
        loop = try EventLoop()
        let board = board
        simulator = try await Simulator.start(
            configuration,
            identity: identity,
            loop: loop,
            onEvent: { board.record($0) }
        )
        receiver = try await TestWebServer.start(server) { request in
            hook(request)
            return answer(request)
        }
        self.database = database ?? folder.path("store.sqlite")
        try writeConfiguration(authority, server, limits: limits, tenant: tenant, app: app, keyPEM: keyPEM)
    }

    deinit { loop.stopAnywhere() }

    private func writeConfiguration(
        _ authority: TestAuthority,
        _ server: TestAuthority.Identity,
        limits: String,
        tenant: String,
        app: String,
        keyPEM: String
    ) throws {
        func file(_ name: String, _ bytes: [UInt8]) throws -> String {
            try folder.makeFile(name, String(decoding: bytes, as: UTF8.self))
        }
        let authorities = try file("ca.pem", authority.certificatePEM)
        let token = Array("TestTestTestTestTestTestTestTest_key_00-kew".utf8)
        let hook = """
            "url": "https://localhost:\(receiver.port)/hook", "allowed-ranges": ["127.0.0.0/8", "::1/128"],
            "authorities-file": "\(authorities)", "secret-file": "\(try file("hook.key", Array(Self.secret.utf8)))"
            """
        let text = """
            {
              "listen": [{"address": "127.0.0.1", "port": 0}], "loopback-port": 0,
              "tls": {
                "certificate-file": "\(try file("tls.pem", server.certificatePEM))",
                "key-file": "\(try file("tls.key", server.privateKeyPEM))"
              },
              "database-file": "\(database)",
              "token-key-file": "\(try file("token.key", token))",
              "limits": {
                "push-burst-of-device": 1000, "pushes-per-minute-of-device": 60000, "request-seconds": 300\(limits)
              },
              "tenants": [{
                "id": "acme", "requests-per-second": 1000000, \(tenant)
                "keys": [{
                  "name": "back-end", "hash": "\(APIKeyHash(of: Array(Self.apiKey.utf8)).text)",
                  "scopes": ["send", "manage", "read", "metrics"]
                }],
                "webhook": {\(hook)},
                "apps": [{
                  "bundle-id": "\(Self.bundleID)", "environment": "sandbox",
                  "credential": {
                    "key-file": "\(try file("a.p8", Array(keyPEM.utf8)))",
                    "key-id": "\(Self.keyID)", "team-id": "\(Self.teamID)"
                  },
                  "endpoint": {
                    "host": "127.0.0.1", "port": \(simulator.pushPort), "authorities-file": "\(authorities)"
                  },
                  \(app.replacing("HOOK", with: hook))
                  "placeholder": {"loc-key": "SP_NEW"}
                }]
              }]
            }
            """
        _ = try folder.makeFile("sealedpushd.json", text)
    }

    /// Starts the service; `wrapper` is a program with its arguments that becomes it in the end.
    func start(wrapper: [String] = []) throws -> RunningService {
        try RunningService(configuration, wrapper: wrapper)
    }

    func register(_ name: String, at service: RunningService) async throws {
        let token = try await simulator.enrol(try Topic(Self.bundleID))
        let bundle = Base64URL.string(try SignedBundle.bytes(topic: Self.bundleID))
        let body = """
            {"token": "\(Hex.encode(token.bytes))", "topic": "\(Self.bundleID)", "environment": "sandbox", \
            "region": "CH", "bundle": "\(bundle)"}
            """
        let answer = try service.call("PUT", "/v1/devices/" + name, body: body)
        guard answer.status == 201 else { throw RunningService.Unexpected(answer: answer.body) }
    }
}
