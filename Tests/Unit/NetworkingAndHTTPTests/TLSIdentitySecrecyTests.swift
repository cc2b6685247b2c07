import Glibc
import TestCertificates
import TestSupport
import Testing

@testable import Networking

@Suite struct TLSIdentitySecrecyTests {
    @Test func `neither a password nor a key stays in memory when a load is over`() throws {
        let authority = try TestAuthority()
        let chain = try authority.issueClient().certificatePEM
        var password = invertedPassword.map { ~$0 }
        var scalar = invertedScalar.map { ~$0 }
        // The search does find a present text.
        #expect(try ProcessMemory.contains(inverted: invertedPassword))
        #expect(try ProcessMemory.contains(inverted: invertedScalar))
        unsafe explicit_bzero(&scalar, scalar.count)
        // Everything is decrypted and read before the mismatch is found.
        #expect(throws: TLSIdentityError.privateKeyDoesNotMatchCertificate) {
            try unsafe TLSIdentity(
                certificateChainPEM: chain.span.bytes,
                privateKeyPEM: Array(encryptedKey.utf8).span.bytes,
                password: password.span.bytes
            )
        }
        // At once: later work may write over what was freed.
        for needle in [invertedScalar, invertedScalar.reversed()] { try expectGone(needle) }
        let file = try authority.issueClient().pkcs12(password: "another")
        #expect(throws: TLSIdentityError.passwordWrong) {
            try unsafe TLSIdentity(pkcs12: file.span.bytes, password: password.span.bytes)
        }
        unsafe explicit_bzero(&password, password.count)
        try expectGone(invertedPassword)
    }

    /// The allocator may write its own links into the first bytes of freed memory. OpenSSL's numbers begin at the end.
    private func expectGone(_ inverted: [UInt8]) throws {
        #expect(try !Self.stays(Array(inverted.dropFirst(16))), "\(inverted.count) bytes")
    }

    /// True if the bytes stay in memory. Other threads run beside this: freed memory of theirs may be found once, and
    /// not again.
    private static func stays(_ inverted: [UInt8]) throws -> Bool {
        for _ in 0..<20 {
            guard try ProcessMemory.contains(inverted: inverted) else { return false }
            sched_yield()
        }
        return true
    }
}

/// Complements, so that this file does not contain what it searches for.
private let invertedPassword: [UInt8] = [
    0x89, 0x9E, 0x8F, 0x90, 0x8D, 0x90, 0x8A, 0x8C, 0xD2, 0x93, 0x9E, 0x91, 0x8B, 0x9A, 0x8D, 0x91, 0xD2, 0x8B, 0x8D,
    0x96, 0x9C, 0x86, 0x9C, 0x93, 0x9A, 0xD2, 0xC8, 0xC8,
]
private let invertedScalar: [UInt8] = [
    0x60, 0x3D, 0x68, 0x6A, 0x58, 0x3A, 0x7B, 0x98, 0xC7, 0x35, 0x59, 0xE1, 0x53, 0xB8, 0x79, 0xB5, 0x41, 0x89, 0xE0,
    0x07, 0x36, 0x70, 0xA4, 0x0E, 0x2D, 0x11, 0x55, 0x7A, 0x03, 0x20, 0xDC, 0x84,
]

/// A P-256 key that protects nothing: `openssl pkcs8 -topk8 -v2 aes-128-cbc`.
private let encryptedKey = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiYJSVIM5vnuwICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEDExULIsdXcldntVtZvmCBIEgZBd
    ICPKnqIu5eYBrwEwa7sjW+9SWmu9eASfeTTClpkI+ooyc8vb13WGZwodiPC2PdBK
    mRLwMginQH3n5J0FS677tQu2G8CTpkvPhJXqy/UHg5RsJcU/N3ELAd9qTYT8Z3Mm
    aSglTfBQjUTGwltkEgjUUXZkHFyK77ZFaL0SC9crNse+Lmlws5fnvVP9p8RYgKg=
    -----END ENCRYPTED PRIVATE KEY-----

    """
