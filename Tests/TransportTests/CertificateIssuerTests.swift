import TestCertificates
import Testing

@testable import Transport

/// Certificates for clients, made or asked for.
struct CertificateIssuerTests {
    @Test func `a client that was made shows a certificate for TLS clients only, with its name`() throws {
        let identity = try CertificateIssuer(name: "Authority").makeClient(name: "Client 7")
        #expect(identity.certificate.commonName == "Client 7")
        #expect(identity.certificate.notAfter - identity.certificate.notBefore == 398 * 86_400)
        // SEQUENCE { id-kp-clientAuth } (RFC 5280 section 4.2.1.12).
        let purposes = try #require(identity.certificate.extensionValue(of: "2.5.29.37"))
        #expect(purposes == [0x30, 0x0A, 0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02])
    }

    @Test func `no two certificates have one key`() throws {
        let issuer = try CertificateIssuer(name: "Authority")
        let one = try issuer.makeClient(name: "Client").certificate
        let other = try issuer.makeClient(name: "Client").certificate
        #expect(!one.publicKeyDER.isEmpty)
        #expect(one.publicKeyDER != other.publicKeyDER)
    }

    @Test func `a request gets a certificate for its key, under the name that the issuer gives`() throws {
        let issuer = try CertificateIssuer(name: "Authority")
        let (request, key) = try TestAuthority.makeRequest()
        let pem = try issuer.certificatePEM(forRequest: request, name: "Client 8")
        let identity = try Self.identity(pem, key)
        #expect(identity.certificate.commonName == "Client 8")
        // Asked again, the certificate is another and the key the same.
        let again = try Self.identity(issuer.certificatePEM(forRequest: request, name: "Client 8"), key).certificate
        #expect(again.der != identity.certificate.der)
        #expect(again.publicKeyDER == identity.certificate.publicKeyDER)
    }

    private static func identity(_ certificatePEM: [UInt8], _ keyPEM: [UInt8]) throws -> TLSIdentity {
        let none: [UInt8] = []
        return try unsafe TLSIdentity(
            certificateChainPEM: certificatePEM.span.bytes,
            privateKeyPEM: keyPEM.span.bytes,
            password: none.span.bytes
        )
    }

    @Test func `a request that its key has not signed is refused`() throws {
        let issuer = try CertificateIssuer(name: "Authority")
        let request = try TestAuthority.makeRequest(isSignedByAnother: true).request
        #expect(throws: CertificateIssuer.Failure.requestNotSigned) {
            try issuer.certificatePEM(forRequest: request, name: "Client")
        }
    }

    @Test(arguments: ["", "request", "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"])
    func `what is no request is refused`(_ text: String) throws {
        let issuer = try CertificateIssuer(name: "Authority")
        #expect(throws: CertificateIssuer.Failure.requestUnreadable) {
            try issuer.certificatePEM(forRequest: Array(text.utf8), name: "Client")
        }
    }

    @Test func `a request that is too long is not read`() throws {
        let issuer = try CertificateIssuer(name: "Authority")
        let byteCount = CertificateIssuer.requestByteCountMax + 1
        #expect(throws: CertificateIssuer.Failure.requestTooLong(byteCount: byteCount, byteCountMax: byteCount - 1)) {
            try issuer.certificatePEM(forRequest: [UInt8](repeating: 0x41, count: byteCount), name: "Client")
        }
    }

    @Test(arguments: [0, 65])
    func `a name that no certificate can have is refused`(_ characterCount: Int) throws {
        let issuer = try CertificateIssuer(name: "Authority")
        #expect(throws: CertificateIssuer.Failure.library(call: "X509 fields")) {
            _ = try issuer.makeClient(name: String(repeating: "n", count: characterCount))
        }
    }
}
