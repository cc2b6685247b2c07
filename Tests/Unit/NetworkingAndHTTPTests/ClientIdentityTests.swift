import TestCertificates
import TestSupport
import Testing

@testable import Networking

@Suite struct ClientIdentityTests {
    private let stage: TLSStage

    init() throws {
        stage = try TLSStage()
    }

    private func serverContext(isRequired: Bool = true) throws -> TLSContext {
        let authorities = TLSTrust.pem(try stage.authority.certificatePEM)
        return try stage.serverContext(
            clientTrust: .init(authorities: authorities, isCertificateRequired: isRequired)
        )
    }

    @Test(arguments: [true, false])
    func `the server is given the certificate that the client showed`(_ isRequired: Bool) throws {
        let identity = try stage.clientIdentity("Some client")
        let pair = try stage.pair(
            stage.clientContext(identity: identity),
            serverContext(isRequired: isRequired)
        )
        #expect(pair.certificateAtServer == nil)
        try pair.shakeHands()
        #expect(pair.isDone)
        #expect(pair.certificateAtServer?.commonName == "Some client")
        #expect(pair.certificateAtServer?.der == identity.certificate.der)
        #expect(pair.certificateAtClient?.commonName == "Test server")
    }

    @Test func `a client that must not show one may have none`() throws {
        let pair = try stage.pair(stage.clientContext(), serverContext(isRequired: false))
        try pair.shakeHands()
        #expect(pair.isDone)
        #expect(pair.certificateAtServer == nil)
    }

    @Test func `a server that does not ask gets none`() throws {
        let pair = try stage.pair(stage.clientContext(identity: stage.clientIdentity()), stage.serverContext())
        try pair.shakeHands()
        #expect(pair.isDone)
        #expect(pair.certificateAtServer == nil)
    }

    @Test func `a client without a certificate is refused, and hears of it`() throws {
        let pair = try stage.pair(stage.clientContext(), serverContext())
        #expect(throws: TLSError.self) { try pair.shakeHands() }
        #expect(!pair.isDone)
        #expect(pair.certificateAtServer == nil)
        #expect(throws: TLSError.alert(code: 116, "tlsv13 alert certificate required")) { try pair.exchange() }
    }

    @Test(arguments: [true, false])
    func `a certificate of another authority is refused, required or not`(_ isRequired: Bool) throws {
        let identity = try stage.clientIdentity(issuer: TestAuthority(name: "Another"))
        let pair = try stage.pair(stage.clientContext(identity: identity), serverContext(isRequired: isRequired))
        #expect {
            try pair.shakeHands()
        } throws: {
            guard case .unknownAuthority = $0 as? TLSError else { return false }
            return true
        }
        #expect(pair.certificateAtServer == nil)
        #expect(throws: TLSError.alert(code: 48, "tlsv1 alert unknown ca")) { try pair.exchange() }
    }

    @Test func `an expired certificate is refused, and the client hears why`() throws {
        let identity = try stage.clientIdentity(validity: -2 * day ... -day)
        let pair = try stage.pair(stage.clientContext(identity: identity), serverContext())
        #expect(throws: TLSError.certificateExpired("certificate has expired")) { try pair.shakeHands() }
        // Its words depend on OpenSSL's version.
        #expect { try pair.exchange() } throws: { error in
            if case .alert(code: 45, _)? = error as? TLSError { true } else { false }
        }
    }

    @Test func `a server's trust that is no certificate is refused`() {
        #expect(throws: TLSError.authorityUnreadable) {
            try stage.serverContext(clientTrust: .init(authorities: .pem([])))
        }
    }

    // MARK: Over sockets

    private func echo(_ loopback: Loopback) async throws -> LoopBound<TLSListener> {
        let (loop, context) = (loopback.serverLoop, loopback.serverContext)
        return try await loop.run {
            Result { () throws(TransportError) in
                LoopBound(
                    try TLSListener(address: "127.0.0.1", port: 0, context: context, loop: loop, limits: .patient) {
                        _ in Echo()
                    },
                    to: loop
                )
            }
        }.get()
    }

    @Test func `a connection with a client's certificate carries bytes`() async throws {
        let loopback = try Loopback(
            server: serverContext(),
            client: stage.clientContext(identity: stage.clientIdentity())
        )
        let listener = try await echo(loopback)
        let port = await listener.loop.run { listener.value.port }
        let connection = try await RecordedChannel.connect(loopback, to: port) { channel in
            // The channel has just opened, so it has room.
            try? channel.write(Array("who am I".utf8).span)
        }
        var received: [UInt8] = []
        for await event in connection.events {
            if case .received(let bytes) = event { received += bytes }
            if case .closed = event { break }
            if received.count == 8 { break }
        }
        #expect(received == Array("who am I".utf8))
        await listener.loop.run { listener.value.close() }
    }

    @Test func `a connection without one ends with the server's alert`() async throws {
        let loopback = try Loopback(server: serverContext(), client: stage.clientContext())
        let listener = try await echo(loopback)
        let port = await listener.loop.run { listener.value.port }
        let connection = try await RecordedChannel.connect(loopback, to: port)
        let (bytes, error) = await connection.untilClosed()
        #expect(bytes.isEmpty)
        #expect(error == .tls(.alert(code: 116, "tlsv13 alert certificate required")))
        await listener.loop.run { listener.value.close() }
    }
}
