import APNS
import Envelope
import Keys
import Networking
import Primitives
import PushService
import TestCertificates
import TestSupport

@testable import APNSSimulator

/// A running service's surroundings: files, tenants with an app and a key each, and a simulator as APNs.
final class DaemonSite: Sendable {
    struct Tenant {
        let id: String
        var requestsPerSecond = 1_000_000
        var quota = 1_000_000
        var apps: [String]
        /// Port on this machine that replaces the simulator's.
        var port: UInt16?

        init(_ id: String, apps: String...) {
            self.id = id
            self.apps = apps
        }
    }

    static let rates = #""requests-per-second-of-address": 1000000, "push-burst-of-device": 1000"#
    /// The envelope of every push here; none is opened.
    static let sealed: String = {
        let suite = Suite.x25519
        let envelope = Envelope(
            pushClass: .alert,
            header: EnvelopeHeader(suite: suite, prekeyID: Array(1...8)),
            encapsulatedKey: Array(repeating: 7, count: suite.encapsulatedKeyByteCount),
            ciphertext: Array(repeating: 9, count: PushClass.alert.frameByteCount(suite) + Envelope.tagByteCount)
        )
        return String(decoding: envelope.sealedField, as: UTF8.self)
    }()

    let arrivals = PushArrivals()
    let configuration: String
    let authority: [UInt8]
    private let folder: TemporaryFolder
    private let simulator: Simulator
    private let simulatorLoop: EventLoop
    private let credential: String
    private let authorities: String
    private let files: String

    init() async throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let authority = try TestAuthority()
        self.authority = try authority.certificatePEM
        let server = try authority.issue()
        let key = SigningKey(
            id: try KeyID("ABCDE12345"),
            team: try TeamID("TEAM123456"),
            publicKey: try ThrowawayKeys.first().publicKey()
        )
        simulatorLoop = try EventLoop()
        let arrivals = arrivals
        var simulated = SimulatorConfiguration(keys: [key])
        simulated.connections.handshakeSecondsMax = 600
        simulator = try await Simulator.start(
            simulated,
            identity: unsafe SimulatorIdentity(
                certificateChainPEM: server.certificatePEM,
                privateKeyPEM: server.privateKeyPEM.span.bytes
            ),
            loop: simulatorLoop,
            onEvent: { arrivals.record($0) }
        )
        func path(_ name: String, _ bytes: [UInt8]) throws -> String {
            try folder.makeFile(name, String(decoding: bytes, as: UTF8.self))
        }
        configuration = folder.path("sealedpushd.json")
        credential = """
            {"key-file": "\(try path("a.p8", Array(ThrowawayKeys.firstPEM.utf8)))", "key-id": "ABCDE12345", \
            "team-id": "TEAM123456"}
            """
        authorities = try path("ca.pem", authority.certificatePEM)
        files = """
            "tls": {"certificate-file": "\(try path("tls.pem", server.certificatePEM))", \
            "key-file": "\(try path("tls.key", server.privateKeyPEM))"}, \
            "database-file": "\(folder.path("store.sqlite"))", \
            "token-key-file": "\(try path("token.key", Array("TestTestTestTestTestTestTestTest_key_00-kew".utf8)))"
            """
    }

    deinit { simulatorLoop.stopAnywhere() }

    static func key(of tenant: String) -> String {
        var random = SeededRandom(seed: tenant.utf8.reduce(0xDAE_0000) { $0 &* 31 &+ UInt64($1) })
        return APIKey.make(random: &random).text
    }

    func write(_ tenants: [Tenant], limits: String = rates) throws {
        let rows = tenants.map { tenant in
            let port = tenant.port ?? simulator.pushPort
            let endpoint = #"{"host": "127.0.0.1", "port": \#(port), "authorities-file": "\#(authorities)"}"#
            let apps = tenant.apps.map { app in
                """
                {"bundle-id": "\(app)", "environment": "sandbox", "credential": \(credential), \
                "endpoint": \(endpoint), \
                "placeholder": {"loc-key": "SP_NEW"}}
                """
            }
            let hash = APIKeyHash(of: Array(Self.key(of: tenant.id).utf8)).text
            return """
                {"id": "\(tenant.id)", "requests-per-second": \(tenant.requestsPerSecond), \
                "quota-per-day": \(tenant.quota), "apps": [\(apps.joined(separator: ", "))], "keys": \
                [{"name": "all", "hash": "\(hash)", "scopes": ["send", "manage", "read", "metrics"]}]}
                """
        }
        let text = """
            {"listen": [{"address": "127.0.0.1", "port": 0}], \(files), "limits": {\(limits)}, \
            "tenants": [\(rows.joined(separator: ", "))]}
            """
        _ = try folder.makeFile("sealedpushd.json", text)
    }

    func device(of app: String) async throws -> String {
        let token = try await simulator.enrol(try Topic(app))
        var random = SeededRandom(seed: 11)
        let identityKey = Ed25519PrivateKey(random: &random)
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        let prekey = PublicPrekey(
            suite: .x25519,
            protectionClass: .afterFirstUnlock,
            key: X25519PrivateKey(random: &random).publicKey
        )
        let bundle = try KeyBundle(
            identity: IdentityKey(identityKey.publicKey),
            epoch: 1,
            issuedAt: now,
            topic: BundleID(app),
            entries: [KeyBundle.Entry(prekey: prekey, notBefore: now, notAfter: now.advanced(by: .seconds(86_400)))]
        ).signed(by: identityKey)
        return """
            {"token": "\(token.hex)", "topic": "\(app)", "environment": "sandbox", \
            "bundle": "\(Base64URL.string(bundle))"}
            """
    }

    static func notification(_ app: String, to device: String) -> String {
        #"{"topic": "\#(app)", "class": "normal", "recipients": [{"device": "\#(device)", "sealed": "\#(sealed)"}]}"#
    }
}
