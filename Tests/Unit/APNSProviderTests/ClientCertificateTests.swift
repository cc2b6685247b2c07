import APNS
import Networking
import TestCertificates
import Testing

@testable import APNSProvider

struct ClientCertificateTests {
    private let authority: TestAuthority

    init() throws {
        authority = try TestAuthority()
    }

    // MARK: Reading

    @Test func `a universal certificate pushes to both environments, on the topics that it lists`() throws {
        let certificate = try AppleLikeCertificate.universal(by: authority).loaded()
        #expect(certificate.environments == [.production, .sandbox])
        #expect(certificate.commonName == "Apple Push Services: com.eatthepath.pushy")
        #expect(certificate.userID == "com.eatthepath.pushy")
        #expect(certificate.topics.map(\.name).count == 3)
        #expect(certificate.topics[1] == .init(name: "com.eatthepath.pushy.voip", types: ["voip"]))
    }

    @Test func `a PKCS 12 file gives the same, whatever encrypted it`() throws {
        for ciphers in [TestAuthority.Identity.Ciphers.present, .keychain] {
            let identity = try AppleLikeCertificate.universal(by: authority)
            let file = try identity.pkcs12(password: "correct horse", ciphers: ciphers)
            let password = Array("correct horse".utf8)
            let certificate = try unsafe ClientCertificate(pkcs12: file.span.bytes, password: password.span.bytes)
            #expect(try certificate.topics == identity.loaded().topics)
            #expect(throws: ClientCertificateError.passwordWrong) {
                try unsafe ClientCertificate(pkcs12: file.span.bytes, password: file.span.bytes)
            }
        }
    }

    @Test(arguments: ClientCertificate.Environment.allCases)
    func `an extension alone makes a certificate for one environment`(
        _ environment: ClientCertificate.Environment
    ) throws {
        let marker =
            environment == .production ? AppleLikeCertificate.production() : AppleLikeCertificate.sandbox()
        let certificate = try authority.issueClient(userID: "com.example.app", extensions: [marker]).loaded()
        #expect(certificate.environments == [environment])
        #expect(certificate.topics == [.init(name: "com.example.app", types: ["app"])])
    }

    @Test(
        arguments: [
            ("Apple Production IOS Push Services: com.example.app", [.production]),
            ("Apple Development IOS Push Services: com.example.app", [.sandbox]),
            ("Apple Production Mac Push Services: com.example.app", [.production]),
            ("Apple Push Services: com.example.app", [.production, .sandbox]),
        ] as [(String, Set<ClientCertificate.Environment>)]
    )
    func `an older certificate says it with its name`(
        _ name: String,
        _ environments: Set<ClientCertificate.Environment>
    ) throws {
        let certificate = try authority.issueClient(name: name, userID: "com.example.app").loaded()
        #expect(certificate.environments == environments)
        #expect(certificate.topics == [.init(name: "com.example.app", types: ["app"])])
    }

    @Test func `a VoIP certificate lists its topics in an extension of its own`() throws {
        let list =
            [0x30, 0x1E] + AppleLikeCertificate.text("com.example.app.voip") + [0x30, 6]
            + AppleLikeCertificate.text("voip")
        let certificate = try authority.issueClient(
            extensions: [AppleLikeCertificate.production(), AppleLikeCertificate.voIPTopics(list)]
        ).loaded()
        #expect(certificate.topics == [.init(name: "com.example.app.voip", types: ["voip"])])
        #expect(try certificate.allows(Topic("com.example.app.voip"), .voip))
    }

    @Test func `the full list counts where there are both`() throws {
        let certificate = try authority.issueClient(
            extensions: [
                AppleLikeCertificate.production(),
                AppleLikeCertificate.voIPTopics([0x30, 0]),
                AppleLikeCertificate.topics(AppleLikeCertificate.pushyTopics),
            ]
        ).loaded()
        #expect(certificate.topics.count == 3)
    }

    // MARK: Refused when it is loaded

    @Test(arguments: ["Test client", "Apple Development: Somebody", "apple push services: com.example.app"])
    func `a certificate for something else is refused`(_ name: String) throws {
        let identity = try authority.issueClient(name: name, userID: "com.example.app")
        #expect(throws: ClientCertificateError.notForAPNs) { try identity.loaded() }
    }

    @Test func `a list of topics that is none is refused`() throws {
        let identity = try authority.issueClient(
            extensions: [AppleLikeCertificate.production(), AppleLikeCertificate.topics([0x30, 1])]
        )
        #expect(throws: ClientCertificateError.topicsUnreadable("truncated(offset: 2)")) { try identity.loaded() }
    }

    @Test func `a file's own faults keep their names`() throws {
        let identity = try AppleLikeCertificate.universal(by: authority)
        let other = try AppleLikeCertificate.universal(by: authority)
        let encrypted = try identity.encryptedKeyPEM(password: "x")
        let empty: [UInt8] = []
        let y = Array("y".utf8)
        let cases: [([UInt8], [UInt8], [UInt8], ClientCertificateError)] = [
            (empty, identity.privateKeyPEM, empty, .certificateUnreadable),
            (identity.certificatePEM, empty, empty, .privateKeyMissing),
            (identity.certificatePEM, other.privateKeyPEM, empty, .privateKeyDoesNotMatch),
            (identity.certificatePEM, encrypted, empty, .passwordNeeded),
            (identity.certificatePEM, encrypted, y, .passwordWrong),
        ]
        for (chain, key, password, error) in cases {
            #expect(throws: error) {
                try unsafe ClientCertificate(
                    certificateChainPEM: chain.span.bytes,
                    privateKeyPEM: key.span.bytes,
                    password: password.span.bytes
                )
            }
        }
    }

    // MARK: Refused before it is used

    @Test func `its dates are checked to the second`() throws {
        let certificate = try AppleLikeCertificate.universal(by: authority).loaded()
        let (first, last) = (certificate.validity.lowerBound, certificate.validity.upperBound)
        try certificate.check(at: first, for: .production)
        try certificate.check(at: last, for: .sandbox)
        #expect(throws: ClientCertificateError.notYetValid(notBefore: first)) {
            try certificate.check(at: first - 1, for: .production)
        }
        #expect(throws: ClientCertificateError.expired(notAfter: last)) {
            try certificate.check(at: last + 1, for: nil)
        }
    }

    @Test func `a certificate for one environment is refused for the other, and taken for a server of one's own`()
        throws
    {
        let certificate = try authority.issueClient(extensions: [AppleLikeCertificate.sandbox()]).loaded()
        let now = certificate.validity.lowerBound
        try certificate.check(at: now, for: .sandbox)
        try certificate.check(at: now, for: nil)
        #expect(throws: ClientCertificateError.wrongEnvironment(needed: .production)) {
            try certificate.check(at: now, for: .production)
        }
    }

    @Test(
        arguments: [
            (0, 0), (86_399, 0), (86_400, 1), (30 * 86_400, 30), (-1, -1), (-86_400, -1), (-86_401, -2),
        ] as [(Int64, Int)]
    )
    func `days to the expiry are whole days, rounded down`(_ rest: Int64, _ days: Int) throws {
        let certificate = try AppleLikeCertificate.universal(by: authority).loaded()
        #expect(certificate.daysToExpiry(at: certificate.validity.upperBound - rest) == days)
    }

    @Test func `days to the expiry survive any clock`() throws {
        let certificate = try AppleLikeCertificate.universal(by: authority).loaded()
        #expect(certificate.daysToExpiry(at: .max) < 0)
        #expect(certificate.daysToExpiry(at: .min) > 0)
    }

    @Test(
        arguments: [
            ("api.push.apple.com", .production), ("API.push.apple.com", .production),
            ("api.sandbox.push.apple.com", .sandbox), ("api.development.push.apple.com", .sandbox),
            ("localhost", nil), ("api.push.apple.com.example.org", nil),
        ] as [(String, ClientCertificate.Environment?)]
    )
    func `a host tells its environment`(_ host: String, _ environment: ClientCertificate.Environment?) {
        #expect(APNSEndpoint(host: host, port: 2197).environment == environment)
    }

    // MARK: Permitted pushes

    @Test(arguments: PushType.allCases)
    func `a push type is allowed on the topic that is listed for it`(_ pushType: PushType) throws {
        let certificate = try AppleLikeCertificate.universal(by: authority).loaded()
        let topic = try Topic("com.eatthepath.pushy").appendingSuffix(of: pushType)
        let allowed: Set<PushType> = [.alert, .background, .complication, .voip]
        #expect(certificate.allows(topic, pushType) == allowed.contains(pushType))
        #expect(try !certificate.allows(Topic("com.example").appendingSuffix(of: pushType), pushType))
    }

    @Test func `a topic is allowed only for its own push types`() throws {
        let certificate = try AppleLikeCertificate.universal(by: authority).loaded()
        let (app, voip) = (try Topic("com.eatthepath.pushy"), try Topic("com.eatthepath.pushy.voip"))
        #expect(!certificate.allows(app, .voip))
        #expect(!certificate.allows(voip, .alert))
        #expect(!certificate.allows(voip, .complication))
    }

    @Test func `an MDM certificate pushes to its own topic, and nothing but mdm`() throws {
        let topic = try Topic("com.apple.mgmt.External.0b3f")
        let certificate = try authority.issueClient(
            name: "APSP:0b3f",
            userID: topic.description,
            extensions: [AppleLikeCertificate.production()]
        ).loaded()
        #expect(certificate.allows(topic, .mdm))
        #expect(!certificate.allows(topic, .alert))
        #expect(try !certificate.allows(Topic("com.apple.mgmt.External.0b40"), .mdm))
    }

    // MARK: In use

    @Test func `APNs's stand-in sees the certificate that was loaded`() throws {
        let certificate = try AppleLikeCertificate.universal(by: authority).loaded()
        let server = try authority.issue()
        let serverContext = unsafe try TLSContext.server(
            certificateChainPEM: server.certificatePEM,
            privateKeyPEM: server.privateKeyPEM.span.bytes,
            alpn: ["h2"],
            clientTrust: .init(authorities: .pem(authority.certificatePEM))
        )
        let clientContext = try TLSContext.client(
            trust: .pem(authority.certificatePEM),
            alpn: ["h2"],
            identity: certificate.identity
        )
        var one = try TLSSession(client: clientContext, hostName: "localhost")
        var other = try TLSSession(server: serverContext)
        var plaintext = ByteQueue()
        try one.handshake()
        while one.ciphertextByteCount > 0 || other.ciphertextByteCount > 0 {
            try one.withCiphertext { try other.receive($0, into: &plaintext) }
            one.removeCiphertext(one.ciphertextByteCount)
            try other.withCiphertext { try one.receive($0, into: &plaintext) }
            other.removeCiphertext(other.ciphertextByteCount)
        }
        let certificateSeen = other.peerCertificate
        let seen = try #require(certificateSeen)
        let claims = try CertificateClaims(seen)
        #expect(claims.topics == certificate.topics)
        #expect(claims.environments == [.production, .sandbox])
    }

    @Test func `no way of printing shows the key`() throws {
        let certificate = try AppleLikeCertificate.universal(by: authority).loaded()
        var dumped = ""
        dump(certificate, to: &dumped)
        for text in ["\(certificate)", String(reflecting: certificate), dumped] {
            #expect(text.contains("ClientCertificate"))
            #expect(!text.contains("PRIVATE") && !text.contains("0x") && !text.contains("identity"))
        }
    }
}
