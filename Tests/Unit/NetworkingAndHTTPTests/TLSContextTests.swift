import TestCertificates
import Testing

@testable import Networking

@Suite struct TLSContextTests {
    private let authority: TestAuthority
    private let identity: TestAuthority.Identity

    init() throws {
        authority = try TestAuthority()
        identity = try authority.issue()
    }

    private func make(_ certificate: [UInt8], _ key: [UInt8], alpn: [String] = ["h2"]) throws -> TLSContext {
        unsafe try .server(certificateChainPEM: certificate, privateKeyPEM: key.span.bytes, alpn: alpn)
    }

    @Test func `text before the first line of a key is skipped`() throws {
        _ = try make(identity.certificatePEM, Array("an example, not a secret\n".utf8) + identity.privateKeyPEM)
    }

    @Test(arguments: ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `what is no certificate is refused`(_ text: String) {
        #expect(throws: TLSError.certificateUnreadable) { try make(Array(text.utf8), identity.privateKeyPEM) }
        #expect(throws: TLSError.authorityUnreadable) {
            try TLSContext.client(trust: .pem(Array(text.utf8)), alpn: ["h2"])
        }
    }

    @Test(arguments: ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", encryptedKey])
    func `what is no key, or an encrypted one, is refused without asking for a password`(_ text: String) {
        #expect(throws: TLSError.privateKeyUnreadable) { try make(identity.certificatePEM, Array(text.utf8)) }
    }

    @Test func `a key cut at any length is refused`() {
        // The last line is complete even without its line break.
        for length in 0..<identity.privateKeyPEM.count - 1 {
            #expect(throws: TLSError.privateKeyUnreadable) {
                try make(identity.certificatePEM, Array(identity.privateKeyPEM[..<length]))
            }
        }
    }

    @Test func `another certificate's key is refused`() throws {
        let other = try authority.issue()
        #expect(throws: TLSError.privateKeyDoesNotMatchCertificate) {
            try make(identity.certificatePEM, other.privateKeyPEM)
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 256)])
    func `a protocol's name has 1 to 255 bytes`(_ name: String) {
        #expect(throws: TLSError.protocolNameInvalid) {
            try make(identity.certificatePEM, identity.privateKeyPEM, alpn: ["h2", name])
        }
    }

    @Test(arguments: ["", "a\u{0}b"])
    func `a host name that is none is refused`(_ host: String) throws {
        let context = try TLSContext.client(trust: .system, alpn: ["h2"])
        #expect(throws: TLSError.hostNameInvalid) { _ = try TLSSession(client: context, hostName: host) }
    }
}

/// `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes-128-cbc -pass pass:x`
private let encryptedKey = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAh+quDZbIkK7wICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEBXAQgPMr29qLAWvba58mAsEgZCO
    vFDJ7+0jA3IzcwpD+k/65QR/J6jLfKFZJtRNYdUxKyYtImwkvgJojdWjnCaqgZEJ
    8+ITMT0lPAYu8iJ6khdJoIU+a7H87G39U8ykyB13kdJAJeue5xJcOTi7RIyyrsiW
    Og/NXZu5qmwEdc1Fck+XLW4w11rC/Sg5RRFfEWMXxJgiZkkX8xVQ9Nze6qOjDeo=
    -----END ENCRYPTED PRIVATE KEY-----

    """
