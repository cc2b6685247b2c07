import TestCertificates
import TestSupport
import Testing

@testable import Networking

@Suite struct TLSIdentityTests {
    private let authority: TestAuthority
    private let client: TestAuthority.Identity

    init() throws {
        authority = try TestAuthority()
        client = try authority.issueClient(name: "Some client", userID: "com.example.app")
    }

    private func identity(_ chain: [UInt8], _ key: [UInt8], _ password: String = "") throws -> TLSIdentity {
        try unsafe TLSIdentity(
            certificateChainPEM: chain.span.bytes,
            privateKeyPEM: key.span.bytes,
            password: Array(password.utf8).span.bytes
        )
    }

    private func identity(pkcs12 file: [UInt8], _ password: String) throws -> TLSIdentity {
        try unsafe TLSIdentity(pkcs12: file.span.bytes, password: Array(password.utf8).span.bytes)
    }

    // MARK: PEM

    @Test func `a certificate and its key may be two texts or one, in either order`() throws {
        let (certificate, key) = (client.certificatePEM, client.privateKeyPEM)
        for (chain, key) in [(certificate, key), (certificate + key, certificate + key), (key + certificate, key)] {
            let identity = try identity(chain, key)
            #expect(identity.certificate.commonName == "Some client")
            #expect(identity.certificate.userID == "com.example.app")
            #expect(identity.intermediates.isEmpty)
        }
    }

    @Test func `the certificate is the one that the key belongs to, wherever it stands`() throws {
        let other = try authority.certificatePEM
        for chain in [client.certificatePEM + other, other + client.certificatePEM] {
            let identity = try identity(chain, client.privateKeyPEM)
            #expect(identity.certificate.commonName == "Some client")
            #expect(identity.intermediates.map(\.commonName) == ["Test authority"])
        }
    }

    @Test func `PKCS 8 needs its password`() throws {
        let key = try client.encryptedKeyPEM(password: "correct horse")
        _ = try identity(client.certificatePEM, key, "correct horse")
        #expect(throws: TLSIdentityError.passwordNeeded) { try identity(client.certificatePEM, key) }
        #expect(throws: TLSIdentityError.passwordWrong) { try identity(client.certificatePEM, key, "correct h") }
    }

    @Test(arguments: [TestAuthority.KeyKind.p256, .rsa2048])
    func `the older forms of a key are read, with and without a password`(_ kind: TestAuthority.KeyKind) throws {
        let client = try authority.issueClient(keyKind: kind)
        _ = try identity(client.certificatePEM, client.traditionalKeyPEM())
        let key = try client.traditionalKeyPEM(password: "correct horse")
        _ = try identity(client.certificatePEM, key, "correct horse")
        #expect(throws: TLSIdentityError.passwordNeeded) { try identity(client.certificatePEM, key) }
        #expect(throws: TLSIdentityError.passwordWrong) { try identity(client.certificatePEM, key, "battery") }
    }

    @Test(arguments: [String(repeating: "x", count: 1025), "correct\u{0}horse"])
    func `what C could not take whole is no password`(_ password: String) throws {
        let key = try client.encryptedKeyPEM(password: "correct")
        #expect(throws: TLSIdentityError.passwordWrong) { try identity(client.certificatePEM, key, password) }
    }

    @Test func `a certificate alone is not enough`() {
        #expect(throws: TLSIdentityError.privateKeyMissing) {
            try identity(client.certificatePEM, client.certificatePEM)
        }
    }

    @Test func `a key alone is not enough`() {
        #expect(throws: TLSIdentityError.certificateUnreadable) {
            try identity(client.privateKeyPEM, client.privateKeyPEM)
        }
    }

    @Test func `another certificate's key does not match`() throws {
        let other = try authority.issueClient()
        #expect(throws: TLSIdentityError.privateKeyDoesNotMatchCertificate) {
            try identity(client.certificatePEM, other.privateKeyPEM)
        }
    }

    @Test(arguments: ["PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"])
    func `a block with something else in it is no key`(_ label: String) {
        let key = Array("-----BEGIN \(label)-----\nMAUMA2FwcA==\n-----END \(label)-----\n".utf8)
        #expect(throws: TLSIdentityError.privateKeyUnreadable) { try identity(client.certificatePEM, key, "x") }
    }

    @Test func `a file that is far too long is not read`() {
        let long = [UInt8](repeating: 0x20, count: TLSIdentity.byteCountMax + 1)
        let tooLong = TLSIdentityError.tooLong(byteCount: 262_145, byteCountMax: 262_144)
        #expect(throws: tooLong) { try identity(long, client.privateKeyPEM) }
        #expect(throws: tooLong) { try identity(client.certificatePEM, long) }
        #expect(throws: tooLong) { try identity(pkcs12: long, "x") }
    }

    // MARK: PKCS #12

    @Test(arguments: ["correct horse", "", "pässwörd"], [TestAuthority.Identity.Ciphers.present, .keychain])
    func `a PKCS 12 file gives what was put into it`(
        _ password: String,
        _ ciphers: TestAuthority.Identity.Ciphers
    ) throws {
        let file = try client.pkcs12(password: password, ciphers: ciphers)
        #expect(try identity(pkcs12: file, password).certificate.commonName == "Some client")
        #expect(throws: TLSIdentityError.passwordWrong) { try identity(pkcs12: file, "battery") }
    }

    @Test func `without OpenSSL's old ciphers the keychain's file is refused with the command that converts it`() throws
    {
        let file = try client.pkcs12(password: "x", ciphers: .keychain)
        #expect(throws: TLSIdentityError.legacyEncryption) {
            try unsafe TLSIdentity(
                pkcs12: file.span.bytes,
                password: Array("x".utf8).span.bytes,
                legacyProvider: "no such provider"
            )
        }
        #expect("\(TLSIdentityError.legacyEncryption)".contains("openssl pkcs12 -legacy -in"))
    }

    @Test func `reading the keychain's file leaves the process without the old ciphers`() throws {
        let file = try client.pkcs12(password: "x", ciphers: .keychain)
        _ = try identity(pkcs12: file, "x")
        // If the first reading had loaded a provider for the whole process, this would succeed without one.
        #expect(throws: TLSIdentityError.legacyEncryption) {
            try unsafe TLSIdentity(
                pkcs12: file.span.bytes,
                password: Array("x".utf8).span.bytes,
                legacyProvider: "no such provider"
            )
        }
    }

    @Test func `a PKCS 12 file without a key is not enough`() throws {
        let file = try client.pkcs12(password: "x", hasKey: false)
        #expect(throws: TLSIdentityError.privateKeyMissing) { try identity(pkcs12: file, "x") }
    }

    @Test func `a PKCS 12 file without a checksum is refused`() throws {
        let file = try client.pkcs12(password: "x", hasChecksum: false)
        #expect(throws: TLSIdentityError.pkcs12Unreadable) { try identity(pkcs12: file, "x") }
    }

    @Test(arguments: [[], [0x30], [0x30, 0x80], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], Array("no file".utf8)])
    func `what is no PKCS 12 file is refused`(_ file: [UInt8]) {
        #expect(throws: TLSIdentityError.pkcs12Unreadable) { try identity(pkcs12: file, "x") }
    }

    @Test func `a PKCS 12 file cut at any length is refused`() throws {
        let file = try client.pkcs12(password: "x")
        for length in stride(from: 0, to: file.count, by: 7) {
            #expect(throws: TLSIdentityError.self) { try identity(pkcs12: Array(file[..<length]), "x") }
        }
    }

    @Test func `a PKCS 12 file with one byte changed is read as it was or refused`() throws {
        let file = try client.pkcs12(password: "x")
        let seed = RunSeed.here()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var changed = file
            // The iteration count is behind the rest; a large one is only slow.
            changed[Int.random(in: 0..<file.count - 4, using: &generator)] ^= .random(in: 1...255, using: &generator)
            do {
                let read = try identity(pkcs12: changed, "x")
                #expect(read.certificate.commonName == "Some client", "seed \(seed)")
            } catch {
                #expect(error is TLSIdentityError, "seed \(seed)")
            }
        }
    }

    // MARK: Printing

    @Test func `no way of printing shows a key`() throws {
        let identity = try identity(client.certificatePEM, client.privateKeyPEM)
        var dumped = ""
        dump(identity, to: &dumped)
        #expect(!dumped.contains("key") && !dumped.contains("0x"))
    }
}

@Suite struct TLSCertificateTests {
    @Test func `a certificate gives its dates, its names, its extensions and its own bytes`() throws {
        let authority = try TestAuthority()
        let client = try authority.issueClient(
            name: "Ein Gerät",
            userID: "com.example.app",
            extensions: [.init(identifier: "1.2.840.113635.100.6.3.1", value: [5, 0])],
            validity: -2 * day...3 * day
        )
        let certificate = try #require(unsafe TLSCertificate.list(pem: client.certificatePEM.span.bytes).first)
        #expect(certificate.commonName == "Ein Gerät")
        #expect(certificate.userID == "com.example.app")
        #expect(certificate.notAfter - certificate.notBefore == Int64(5 * day))
        #expect(certificate.extensionValue(of: "1.2.840.113635.100.6.3.1") == [5, 0])
        #expect(certificate.extensionValue(of: "1.2.840.113635.100.6.3.2") == nil)
        #expect(certificate.extensionValue(of: "no identifier") == nil)
        let again = try #require(TLSCertificate(der: certificate.der))
        #expect(again.der == certificate.der)
        #expect(again.notAfter == certificate.notAfter)
    }

    @Test func `a certificate has nothing behind it and nothing missing`() throws {
        let pem = try TestAuthority().certificatePEM
        let der = try #require(unsafe TLSCertificate.list(pem: pem.span.bytes).first).der
        #expect(TLSCertificate(der: der) != nil)
        #expect(TLSCertificate(der: der + [0]) == nil)
        for length in 0..<der.count { #expect(TLSCertificate(der: Array(der[..<length])) == nil) }
        #expect(TLSCertificate(der: [UInt8](repeating: 0x30, count: TLSCertificate.byteCountMax + 1)) == nil)
    }

    @Test func `a certificate whose signature ends in bits that do not count is refused`() throws {
        let pem = try TestAuthority().certificatePEM
        let der = try #require(unsafe TLSCertificate.list(pem: pem.span.bytes).first).der
        // BIT STRING, the last field: tag, length, number of unused bits, signature.
        let start = try #require(
            der.indices.last { der[$0] == 0x03 && $0 + 2 < der.count && Int(der[$0 + 1]) == der.count - $0 - 2 }
        )
        var changed = der
        changed[start + 2] = 3
        changed[der.count - 1] |= 1
        #expect(TLSCertificate(der: changed) == nil)
    }
}
