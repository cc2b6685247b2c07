import TestCertificates
import TestSupport
import Testing

@testable import Networking

@Suite struct TLSSessionTests {
    private let authority: TestAuthority
    private let trust: TLSTrust

    init() throws {
        authority = try TestAuthority()
        trust = .pem(try authority.certificatePEM)
    }

    private func server(_ identity: TestAuthority.Identity, alpn: [String] = ["h2"]) throws -> TLSContext {
        unsafe try .server(
            certificateChainPEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM.span.bytes,
            alpn: alpn
        )
    }

    private func pair(
        names: String = "DNS:localhost,IP:127.0.0.1",
        validity: ClosedRange<Int> = -day...day,
        trust: TLSTrust? = nil,
        host: String = "localhost",
        clientALPN: [String] = ["h2"],
        serverALPN: [String] = ["h2"]
    ) throws -> TLSPair {
        TLSPair(
            client: try TLSSession(
                client: .client(trust: trust ?? self.trust, alpn: clientALPN),
                hostName: host
            ),
            server: try TLSSession(
                server: server(authority.issue(names: names, validity: validity), alpn: serverALPN)
            )
        )
    }

    @Test(arguments: ["localhost", "127.0.0.1", "LOCALHOST"])
    func `both sides agree and carry bytes both ways`(_ host: String) throws {
        let pair = try pair(host: host, clientALPN: ["x", "h2"], serverALPN: ["h2", "x"])
        try pair.shakeHands()
        #expect(pair.isDone)
        #expect(pair.clientProtocol == "h2")
        #expect(pair.serverProtocol == "h2")
        #expect(pair.version == "TLSv1.3")
        let large = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try pair.client.send(large)
        try pair.server.send([1, 2, 3])
        try pair.exchange()
        #expect(pair.takeAtServer() == large)
        #expect(pair.takeAtClient() == [1, 2, 3])
    }

    @Test func `bytes may come one at a time`() throws {
        let pair = try pair()
        pair.pieceByteCount = 1
        try pair.shakeHands()
        try pair.client.send(Array("slowly".utf8))
        try pair.exchange()
        #expect(pair.takeAtServer() == Array("slowly".utf8))
    }

    @Test(arguments: [("example.org", "DNS:localhost"), ("127.0.0.1", "DNS:127.0.0.1"), ("::1", "IP:127.0.0.1")])
    func `a certificate for another host is refused`(_ host: String, _ names: String) throws {
        let pair = try pair(names: names, host: host)
        #expect { try pair.shakeHands() } throws: {
            guard case .wrongHost = $0 as? TLSError else { return false }
            return true
        }
        #expect(!pair.isClientDone)
        // The server learns of it by an alert, which waited among the ciphertext.
        #expect { try pair.exchange() } throws: {
            guard case .alert = $0 as? TLSError else { return false }
            return true
        }
    }

    @Test func `an expired certificate is refused as expired`() throws {
        let pair = try pair(validity: -2 * day ... -day)
        #expect(throws: TLSError.certificateExpired("certificate has expired")) { try pair.shakeHands() }
    }

    @Test func `a certificate from the future is refused as such`() throws {
        let pair = try pair(validity: day...2 * day)
        #expect(throws: TLSError.certificateNotYetValid("certificate is not yet valid")) { try pair.shakeHands() }
    }

    @Test func `an unknown authority is refused`() throws {
        let pair = try pair(trust: .pem(TestAuthority(name: "Another").certificatePEM))
        #expect { try pair.shakeHands() } throws: {
            guard case .unknownAuthority = $0 as? TLSError else { return false }
            return true
        }
    }

    @Test func `the system's authorities do not know ours`() throws {
        let pair = try pair(trust: .system)
        #expect { try pair.shakeHands() } throws: {
            guard case .unknownAuthority = $0 as? TLSError else { return false }
            return true
        }
    }

    @Test(arguments: [(["a"], ["b"]), (["a"], []), ([], ["b"])])
    func `no protocol in common is an error of its own`(_ client: [String], _ server: [String]) throws {
        let pair = try pair(clientALPN: client, serverALPN: server)
        #expect(throws: TLSError.noCommonProtocol) { try pair.shakeHands() }
    }

    @Test func `the client of a server without a common protocol hears why`() throws {
        let pair = try pair(clientALPN: ["a"], serverALPN: ["b"])
        #expect(throws: TLSError.noCommonProtocol) { try pair.shakeHands() }
        #expect(throws: TLSError.noCommonProtocol) { try pair.exchange() }
    }

    @Test func `a flipped bit in a record is noticed`() throws {
        let pair = try pair()
        try pair.shakeHands()
        try pair.client.send(Array("hello".utf8))
        pair.alter = { bytes in bytes[bytes.count - 1] ^= 1 }
        #expect(throws: TLSError.tampered) { try pair.exchange() }
        #expect(pair.takeAtServer().isEmpty)
    }

    @Test func `a goodbye is told apart from a cut`() throws {
        let pair = try pair()
        try pair.shakeHands()
        #expect(!pair.hasClientLeft)
        pair.client.close()
        try pair.exchange()
        #expect(pair.hasClientLeft)
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "\u{0}", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"])
    func `what is not TLS is told as such, by both sides`(_ text: String) throws {
        let pair = try pair()
        var plaintext = ByteQueue()
        #expect(throws: TLSError.notTLS) { try pair.server.receive(Array(text.utf8), into: &plaintext) }
        try pair.client.handshake()
        #expect(throws: TLSError.notTLS) { try pair.client.receive(Array(text.utf8), into: &plaintext) }
    }

    @Test func `a handshake cut at any length is never done`() throws {
        let server = try server(authority.issue())
        let client = try TLSContext.client(trust: trust, alpn: ["h2"])
        var hello = try TLSSession(client: client, hostName: "localhost")
        try hello.handshake()
        let bytes = hello.withCiphertext { Array(copying: $0) }
        for length in 0..<bytes.count {
            var session = try TLSSession(server: server)
            var plaintext = ByteQueue()
            try session.receive(Array(bytes[..<length]), into: &plaintext)
            let isDone = session.isHandshakeDone || session.isPeerDone
            #expect(!isDone)
        }
    }

    @Test func `a handshake with one byte changed is never done with other parameters`() throws {
        let seed = RunSeed.here()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<150 {
            let pair = try pair()
            var flight = Int.random(in: 0..<3, using: &generator)
            let position = Double.random(in: 0..<1, using: &generator)
            let mask = UInt8.random(in: 1...255, using: &generator)
            pair.alter = { bytes in
                if flight == 0 { bytes[Int(Double(bytes.count) * position)] ^= mask }
                flight -= 1
            }
            do {
                try pair.shakeHands()
                // Only fields that TLS 1.3 ignores may change unnoticed.
                if pair.isClientDone { #expect(pair.clientProtocol == "h2", "seed \(seed)") }
            } catch {}
        }
    }
}

final class TLSPair {
    var client: TLSSession
    var server: TLSSession
    var clientGot = ByteQueue()
    var serverGot = ByteQueue()
    var pieceByteCount = Int.max
    var alter: ((inout [UInt8]) -> Void)?

    init(client: consuming TLSSession, server: consuming TLSSession) {
        self.client = client
        self.server = server
    }

    var isClientDone: Bool { client.isHandshakeDone }
    var isDone: Bool { client.isHandshakeDone && server.isHandshakeDone }
    var hasClientLeft: Bool { server.isPeerDone }
    var clientProtocol: String? { client.negotiatedProtocol }
    var serverProtocol: String? { server.negotiatedProtocol }
    var version: String { client.version }
    var isResumedAtClient: Bool { client.isResumed }
    var isResumedAtServer: Bool { server.isResumed }
    var certificateAtClient: TLSCertificate? { client.peerCertificate }
    var isClientVerified: Bool { server.isPeerVerified }
    var certificateAtServer: TLSCertificate? { server.peerCertificate }

    func takeAtClient() -> [UInt8] { clientGot.takeAll() }
    func takeAtServer() -> [UInt8] { serverGot.takeAll() }

    func shakeHands() throws(TLSError) {
        try client.handshake()
        try exchange()
    }

    /// Runs until neither side has bytes to send.
    func exchange() throws(TLSError) {
        while client.ciphertextByteCount > 0 || server.ciphertextByteCount > 0 {
            for piece in pieces(Self.take(&client)) { try server.receive(piece, into: &serverGot) }
            for piece in pieces(Self.take(&server)) { try client.receive(piece, into: &clientGot) }
        }
    }

    private func pieces(_ bytes: [UInt8]) -> [[UInt8]] {
        guard !bytes.isEmpty else { return [] }
        var bytes = bytes
        alter?(&bytes)
        let size = min(pieceByteCount, bytes.count)
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }

    private static func take(_ session: inout TLSSession) -> [UInt8] {
        let bytes = session.withCiphertext { Array(copying: $0) }
        session.removeCiphertext(bytes.count)
        return bytes
    }
}
