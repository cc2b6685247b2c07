import Platform
import TestCertificates
import Testing

@testable import Networking

@Suite struct TLSResumptionTests {
    private let stage: TLSStage

    init() throws {
        stage = try TLSStage()
    }

    /// Shakes hands, has both sides send a byte, and returns whether the session was resumed.
    @discardableResult
    private func connect(
        _ client: TLSContext,
        _ server: TLSContext,
        host: String = "localhost",
        port: UInt16 = 443,
        saysGoodbye: Bool = true
    ) throws -> Bool {
        let pair = try stage.pair(client, server, host: host, port: port)
        try pair.shakeHands()
        try pair.client.send([1])
        try pair.server.send([2])
        try pair.exchange()
        #expect(pair.isDone)
        #expect(pair.takeAtServer() == [1])
        #expect(pair.takeAtClient() == [2])
        #expect(pair.isResumedAtClient == pair.isResumedAtServer)
        #expect(pair.clientProtocol == "h2")
        #expect(pair.certificateAtClient?.commonName == "Test server")
        if saysGoodbye {
            pair.client.close()
            try pair.exchange()
        }
        return pair.isResumedAtClient
    }

    private func count(_ context: TLSContext, host: String = "localhost", port: UInt16 = 443) -> Int {
        context.resumableSessions?.count(for: .init(host: host, port: port)) ?? 0
    }

    @Test(arguments: [true, false])
    func `the second connection is resumed, however the first ended`(_ saysGoodbye: Bool) throws {
        let (client, server) = (try stage.clientContext(), try stage.serverContext(resumption: true))
        #expect(try !connect(client, server, saysGoodbye: saysGoodbye))
        #expect(count(client) == 2)
        #expect(try connect(client, server, saysGoodbye: saysGoodbye))
        #expect(try connect(client, server, saysGoodbye: saysGoodbye))
    }

    @Test func `two connections at once take two tickets, and the third has a full handshake`() throws {
        let (client, server) = (try stage.clientContext(), try stage.serverContext(resumption: true))
        try connect(client, server)
        let pairs = try (0..<3).map { _ in try stage.pair(client, server) }
        for pair in pairs { try pair.client.handshake() }
        #expect(count(client) == 0)
        for pair in pairs { try pair.exchange() }
        #expect(pairs.map(\.isResumedAtClient) == [true, true, false])
    }

    @Test func `tickets are kept up to a bound`() throws {
        let (client, server) = (try stage.clientContext(), try stage.serverContext(resumption: true))
        let pairs = try (0..<10).map { _ in try stage.pair(client, server) }
        for pair in pairs { try pair.client.handshake() }
        for pair in pairs { try pair.exchange() }
        #expect(count(client) == TLSResumption.Cache.ticketCountMax)
    }

    @Test func `a server gives no tickets unless asked, and a client takes none where that is off`() throws {
        let (client, server) = (try stage.clientContext(), try stage.serverContext())
        try connect(client, server)
        #expect(count(client) == 0)
        #expect(try !connect(client, server))
        let (other, giving) = (try stage.clientContext(resumption: false), try stage.serverContext(resumption: true))
        #expect(try !connect(other, giving))
        #expect(try !connect(other, giving))
    }

    @Test(arguments: [("other.example", 443), ("127.0.0.1", 443), ("localhost", 2197)] as [(String, UInt16)])
    func `a ticket is never offered to another host or port`(_ host: String, _ port: UInt16) throws {
        let (client, server) = (try stage.clientContext(), try stage.serverContext(resumption: true))
        try connect(client, server)
        // The very server that issued it: only the name or the port differs.
        #expect(try !connect(client, server, host: host, port: port))
        #expect(count(client) == 2)
    }

    @Test func `a session whose certificate is not for the host is never offered`() throws {
        let (client, server) = (try stage.clientContext(), try stage.serverContext(resumption: true))
        try connect(client, server)
        let cache = try #require(client.resumableSessions)
        let session = try #require(cache.take(for: .init(host: "localhost", port: 443)))
        #expect(session.isUsable(for: "localhost"))
        #expect(session.isUsable(for: "127.0.0.1"))
        #expect(!session.isUsable(for: "example.org"))
        #expect(!session.isUsable(for: "127.0.0.2"))
    }

    @Test func `another context never takes up a session`() throws {
        let server = try stage.serverContext(resumption: true)
        try connect(stage.clientContext(), server)
        #expect(try !connect(stage.clientContext(), server))
    }

    @Test func `a server with other keys is met with a full handshake`() throws {
        let client = try stage.clientContext()
        try connect(client, stage.serverContext(resumption: true))
        let other = try stage.serverContext(resumption: true)
        #expect(try !connect(client, other))
        #expect(try connect(client, other))
    }

    @Test func `a server that meanwhile has a stranger's certificate is refused`() throws {
        let client = try stage.clientContext()
        try connect(client, stage.serverContext(resumption: true))
        let stranger = try TLSStage(authority: "Another").serverContext(resumption: true)
        #expect {
            try connect(client, stranger)
        } throws: {
            guard case .unknownAuthority = $0 as? TLSError else { return false }
            return true
        }
        // Sessions that were offered in vain, and those that were not, are gone.
        #expect(count(client) == 0)
    }

    @Test func `a handshake that fails before the server answers costs the tickets`() throws {
        let (client, server) = (try stage.clientContext(), try stage.serverContext(resumption: true))
        try connect(client, server)
        let pair = try stage.pair(client, server)
        try pair.client.handshake()
        var plaintext = ByteQueue()
        #expect(throws: TLSError.self) {
            try pair.client.receive([21, 3, 3, 0, 2, 2, 40], into: &plaintext)
        }
        #expect(count(client) == 0)
    }

    @Test func `a session of an expired certificate is not offered`() throws {
        let authority = try TestAuthority()
        let identity = try authority.issue(validity: -day...3600)
        let server = unsafe try TLSContext.server(
            certificateChainPEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM.span.bytes,
            alpn: ["h2"],
            resumption: true
        )
        let client = try TLSContext.client(trust: .pem(authority.certificatePEM), alpn: ["h2"])
        let pair = try stage.pair(client, server)
        try pair.shakeHands()
        let session = try #require(client.resumableSessions?.take(for: .init(host: "localhost", port: 443)))
        let certificate = try #require(pair.certificateAtClient)
        #expect(session.isUsable(for: "localhost", at: certificate.notAfter))
        #expect(!session.isUsable(for: "localhost", at: certificate.notAfter + 1))
    }

    @Test func `a session is not offered after a day, nor before it was made`() throws {
        let (client, server) = (try stage.clientContext(), try stage.serverContext(resumption: true))
        try connect(client, server)
        let session = try #require(client.resumableSessions?.take(for: .init(host: "localhost", port: 443)))
        #expect(session.isUsable(for: "localhost", at: session.madeAt + 24 * 3600))
        #expect(!session.isUsable(for: "localhost", at: session.madeAt + 24 * 3600 + 1))
        #expect(!session.isUsable(for: "localhost", at: session.madeAt - 1))
    }

    // MARK: With a client's certificate

    private func asking() throws -> TLSContext {
        let authorities = TLSTrust.pem(try stage.authority.certificatePEM)
        return try stage.serverContext(clientTrust: .init(authorities: authorities), resumption: true)
    }

    @Test func `a resumed session is still the client's whose certificate began it`() throws {
        let server = try asking()
        let client = try stage.clientContext(identity: stage.clientIdentity("Some client"))
        try connect(client, server)
        let pair = try stage.pair(client, server)
        try pair.shakeHands()
        #expect(pair.isResumedAtServer)
        #expect(pair.certificateAtServer?.commonName == "Some client")
    }

    @Test func `another identity, or none, never takes up a session`() throws {
        let server = try asking()
        try connect(stage.clientContext(identity: stage.clientIdentity("One")), server)
        let pair = try stage.pair(stage.clientContext(identity: stage.clientIdentity("Two")), server)
        try pair.shakeHands()
        #expect(!pair.isResumedAtServer)
        #expect(pair.certificateAtServer?.commonName == "Two")
        #expect(throws: TLSError.self) { try connect(stage.clientContext(), server) }
    }

    // MARK: TLS 1.2

    @Test func `a session of TLS 1.2 is taken up again and again`() throws {
        let (client, server) = (try stage.clientContext(), try stage.serverContext(resumption: true))
        unsafe TestAuthority.limitToTLS12(server.handle)
        #expect(try !connect(client, server))
        #expect(count(client) == 1)
        for _ in 0..<3 { #expect(try connect(client, server)) }
        #expect(count(client) == 1)
    }

    @Test func `a session of TLS 1.2 whose connection was cut off is taken up, too`() throws {
        let (client, server) = (try stage.clientContext(), try stage.serverContext(resumption: true))
        unsafe TestAuthority.limitToTLS12(server.handle)
        try connect(client, server, saysGoodbye: false)
        #expect(try connect(client, server, saysGoodbye: false))
    }

    // MARK: Time

    @Test(arguments: [true, false])
    func `a ticket is taken for its time, and not after it`(_ isTLS12: Bool) throws {
        let uptime = Guarded(MonotonicTime(nanoseconds: 0))
        let server = try stage.serverContext(resumption: true) { uptime.withLock { $0 } }
        if isTLS12 { unsafe TestAuthority.limitToTLS12(server.handle) }
        func isResumed(after age: Duration) throws -> Bool {
            let client = try stage.clientContext()
            try connect(client, server)
            uptime.withLock { $0 = $0 + age }
            return try connect(client, server)
        }
        let period = TicketKeys.period
        #expect(try isResumed(after: .seconds(0)))
        #expect(try isResumed(after: period - .seconds(1)))
        // It was issued late in its key's time, and the key is in its second period.
        #expect(try isResumed(after: period))
        #expect(try !isResumed(after: period + period))
        #expect(try isResumed(after: .seconds(1)))
    }

    @Test func `a ticket that an older key opens is replaced by one of the newest`() throws {
        let uptime = Guarded(MonotonicTime(nanoseconds: 0))
        let server = try stage.serverContext(resumption: true) { uptime.withLock { $0 } }
        unsafe TestAuthority.limitToTLS12(server.handle)
        let client = try stage.clientContext()
        #expect(try !connect(client, server))
        for _ in 0..<5 {
            uptime.withLock { $0 = $0 + TicketKeys.period }
            #expect(try connect(client, server))
        }
    }
}
