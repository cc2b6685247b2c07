import TestCertificates
import Testing

@testable import Networking

/// Parameters that each side of a handshake offers, read from its first messages.
@Suite struct TLSChoiceTests {
    private let stage: TLSStage

    init() throws { stage = try TLSStage() }

    @Test(arguments: [true, false])
    func `the server's order of ciphers counts`(_ isTLS12: Bool) throws {
        let (client, server) = (try stage.clientContext(), try stage.serverContext())
        unsafe try TestAuthority.preferChaCha20(client.handle)
        if isTLS12 { unsafe TestAuthority.limitToTLS12(server.handle) }
        let pair = try stage.pair(client, server)
        try pair.client.handshake()
        let hello = pair.client.withCiphertext { Array(copying: $0) }
        var plaintext = ByteQueue()
        try pair.server.receive(hello.span, into: &plaintext)
        var answer = HelloReader(pair.server.withCiphertext { Array(copying: $0) })
        answer.skipToSession()
        answer.skip(lengthByteCount: 1)
        // TLS_AES_128_GCM_SHA256, and TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384.
        #expect(answer.number(byteCount: 2) == (isTLS12 ? 0xC02C : 0x1301))
    }

    @Test func `a client offers ML-KEM beside X25519 where OpenSSL has it, and X25519 before the others anyway`() throws
    {
        let client = try stage.clientContext()
        var session = try TLSSession(client: client, hostName: "localhost")
        try session.handshake()
        let hello = session.withCiphertext { Array(copying: $0) }
        let hybrid = TestAuthority.hasGroup("X25519MLKEM768") ? [0x11EC] : []
        #expect(HelloReader.groups(of: hello) == hybrid + [0x1D, 0x17, 0x18])
    }

    @Test func `a certificate that does not name its issuer's key is refused`() throws {
        let issued = try stage.authority.issue(namesIssuer: false)
        let server = unsafe try TLSContext.server(
            certificateChainPEM: issued.certificatePEM,
            privateKeyPEM: issued.privateKeyPEM.span.bytes,
            alpn: ["h2"]
        )
        let pair = try stage.pair(stage.clientContext(), server)
        #expect {
            try pair.shakeHands()
        } throws: {
            // X509_V_ERR_MISSING_AUTHORITY_KEY_IDENTIFIER.
            guard case .certificateRefused(code: 85, _) = $0 as? TLSError else { return false }
            return true
        }
    }
}

/// Parses a ClientHello or ServerHello (RFC 8446 sections 4.1.2 and 4.1.3) that fills its record.
private struct HelloReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Skips to the session id: behind the heads of record and message, the version and the random bytes.
    mutating func skipToSession() { rest = rest.dropFirst(5 + 4 + 2 + 32) }

    mutating func number(byteCount: Int) -> Int {
        defer { rest = rest.dropFirst(byteCount) }
        return rest.prefix(byteCount).reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func skip(lengthByteCount: Int) {
        let byteCount = number(byteCount: lengthByteCount)
        rest = rest.dropFirst(byteCount)
    }

    /// Groups of the extension `supported_groups` (RFC 8446 section 4.2.7).
    static func groups(of hello: [UInt8]) -> [Int] {
        var reader = HelloReader(hello)
        reader.skipToSession()
        reader.skip(lengthByteCount: 1)
        reader.skip(lengthByteCount: 2)
        reader.skip(lengthByteCount: 1)
        _ = reader.number(byteCount: 2)
        while !reader.rest.isEmpty {
            guard reader.number(byteCount: 2) == 10 else {
                reader.skip(lengthByteCount: 2)
                continue
            }
            _ = reader.number(byteCount: 2)
            let count = reader.number(byteCount: 2) / 2
            return (0..<count).map { _ in reader.number(byteCount: 2) }
        }
        return []
    }
}
