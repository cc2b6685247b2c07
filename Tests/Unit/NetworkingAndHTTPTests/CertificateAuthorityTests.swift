import TestCertificates
import Testing

@testable import Networking

/// Certificates of our own authority, seen from both sides of a handshake.
@Suite struct CertificateAuthorityTests {
    private static func authority() throws -> CertificateAuthority {
        try CertificateAuthority(name: "Test authority", key: try KeyPair())
    }

    private static func server(
        _ authority: CertificateAuthority,
        names: [String],
        clientTrust: TLSContext.ClientTrust? = nil
    ) throws -> TLSContext {
        let key = try KeyPair()
        let chain = try authority.issueServer(names: names, for: key)
        return try key.withPrivateKeyPEM { span in
            Result { () throws(TLSError) in
                try TLSContext.server(
                    certificateChainPEM: chain,
                    privateKeyPEM: span,
                    alpn: ["http/1.1"],
                    clientTrust: clientTrust
                )
            }
        }.get()
    }

    private static func handshake(
        _ server: TLSContext,
        trust: CertificateAuthority,
        host: String,
        identity: TLSIdentity? = nil
    ) throws {
        let client = try TLSContext.client(trust: .pem(trust.certificatePEM), alpn: ["http/1.1"], identity: identity)
        let pair = TLSPair(
            client: try TLSSession(client: client, hostName: host, port: 443),
            server: try TLSSession(server: server)
        )
        try pair.shakeHands()
        #expect(pair.isDone)
    }

    @Test(arguments: ["localhost", "127.0.0.1", "::1", "api.push.apple.com"])
    func `a server's certificate is believed under each of its names`(_ name: String) throws {
        let authority = try Self.authority()
        let server = try Self.server(authority, names: ["localhost", "127.0.0.1", "::1", "api.push.apple.com"])
        try Self.handshake(server, trust: authority, host: name)
    }

    @Test func `a server's certificate is not believed under another name`() throws {
        let authority = try Self.authority()
        let server = try Self.server(authority, names: ["localhost"])
        #expect(throws: TLSError.self) { try Self.handshake(server, trust: authority, host: "example.org") }
    }

    @Test func `another authority of the same name is not believed`() throws {
        let server = try Self.server(try Self.authority(), names: ["localhost"])
        #expect(throws: TLSError.self) { try Self.handshake(server, trust: try Self.authority(), host: "localhost") }
    }

    @Test func `an authority that was written and read again issues what the first one's clients believe`() throws {
        let key = try KeyPair()
        let first = try CertificateAuthority(name: "Test authority", key: key)
        let copy = try key.withPrivateKeyPEM { span in
            Result { () throws(TLSIdentityError) in try KeyPair(privateKeyPEM: span) }
        }.get()
        let again = try CertificateAuthority(certificatePEM: first.certificatePEM, key: copy)
        try Self.handshake(try Self.server(again, names: ["localhost"]), trust: first, host: "localhost")
    }

    @Test func `an authority's certificate with another's key is refused`() throws {
        let pem = try Self.authority().certificatePEM
        #expect(throws: TLSError.privateKeyDoesNotMatchCertificate) {
            try CertificateAuthority(certificatePEM: pem, key: try KeyPair())
        }
    }

    @Test func `a text without a certificate is no authority`() throws {
        #expect(throws: TLSError.certificateUnreadable) {
            try CertificateAuthority(certificatePEM: Array("hello".utf8), key: try KeyPair())
        }
    }

    @Test(arguments: [KeyPair.Kind.p256, .rsa2048])
    func `a client's certificate carries what it was given`(_ kind: KeyPair.Kind) throws {
        let authority = try Self.authority()
        let key = try KeyPair(kind)
        let pem = try authority.issueClient(
            commonName: "Apple Push Services: com.example.chat",
            userID: "com.example.chat",
            extensions: [.init(identifier: "1.2.840.113635.100.6.3.1", value: [5, 0])],
            for: key
        )
        let certificate = try #require(TLSCertificate.list(pem: unsafe pem.span.bytes).first)
        #expect(certificate.commonName == "Apple Push Services: com.example.chat")
        #expect(certificate.userID == "com.example.chat")
        #expect(certificate.extensionValue(of: "1.2.840.113635.100.6.3.1") == [5, 0])
        #expect(certificate.extensionValue(of: "1.2.840.113635.100.6.3.2") == nil)
        // Strict verifiers refuse a certificate without key identifiers.
        #expect(
            certificate.extensionValue(of: "2.5.29.14") != nil && certificate.extensionValue(of: "2.5.29.35") != nil
        )
    }

    @Test func `a client that the authority vouches for is let in, and another is not`() throws {
        let (authority, stranger) = (try Self.authority(), try Self.authority())
        let trust = TLSContext.ClientTrust(authorities: .pem(try authority.certificatePEM))
        for (issuer, isWelcome) in [(authority, true), (stranger, false)] {
            let server = try Self.server(authority, names: ["localhost"], clientTrust: trust)
            let key = try KeyPair()
            let chain = try issuer.issueClient(commonName: "Device 1", for: key)
            let identity = try key.withPrivateKeyPEM { span in
                Result { () throws(TLSIdentityError) in
                    try TLSIdentity(
                        certificateChainPEM: unsafe chain.span.bytes,
                        privateKeyPEM: span,
                        password: RawSpan()
                    )
                }
            }.get()
            if isWelcome {
                try Self.handshake(server, trust: authority, host: "localhost", identity: identity)
            } else {
                #expect(throws: TLSError.self) {
                    try Self.handshake(server, trust: authority, host: "localhost", identity: identity)
                }
            }
        }
    }

    @Test func `a client that was made shows a certificate for TLS clients only, with its name`() throws {
        let identity = try Self.authority().makeClient(commonName: "Client 7")
        #expect(identity.certificate.commonName == "Client 7")
        let validity = CertificateAuthority.leafValidity
        #expect(
            identity.certificate.notAfter - identity.certificate.notBefore
                == Int64(validity.upperBound - validity.lowerBound)
        )
        // SEQUENCE { id-kp-clientAuth } (RFC 5280 section 4.2.1.12).
        let purposes = try #require(identity.certificate.extensionValue(of: "2.5.29.37"))
        #expect(purposes == [0x30, 0x0A, 0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02])
    }

    @Test func `no two clients have one key`() throws {
        let authority = try Self.authority()
        let one = try authority.makeClient(commonName: "Client").certificate
        let other = try authority.makeClient(commonName: "Client").certificate
        #expect(!one.publicKeyDER.isEmpty)
        #expect(one.publicKeyDER != other.publicKeyDER)
    }

    @Test(arguments: [0, 65])
    func `a name that no certificate can have is refused`(_ characterCount: Int) throws {
        let authority = try Self.authority()
        #expect(throws: TLSError.self) {
            _ = try authority.makeClient(commonName: String(repeating: "n", count: characterCount))
        }
    }

    @Test func `no two certificates have one serial number`() throws {
        let authority = try Self.authority()
        let key = try KeyPair()
        let first = try authority.issueServer(names: ["localhost"], for: key)
        #expect(try authority.issueServer(names: ["localhost"], for: key) != first)
    }

    @Test func `nothing prints a key`() throws {
        let key = try KeyPair()
        var dumped = ""
        dump(key, to: &dumped)
        dump(try CertificateAuthority(name: "Test authority", key: key), to: &dumped)
        #expect(!dumped.contains("0x") && !dumped.contains("PRIVATE"))
        #expect(try String(decoding: key.publicKeyPEM, as: UTF8.self).hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
    }
}
