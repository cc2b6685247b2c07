import Synchronization
import TestCertificates
import TestSupport
import Testing

@testable import HTTP
@testable import Networking

@Suite struct ServerAdmissionTests {
    private func serve(
        _ loopback: Loopback,
        connectionCountMax: Int = 1024,
        admits: (@Sendable (String) -> Bool)? = nil
    ) async throws -> HTTP2Server {
        var limits = HostileConversation.patientLimits
        limits.connectionCountMax = connectionCountMax
        return try await .start(
            address: "127.0.0.1",
            port: 0,
            context: loopback.serverContext,
            loop: loopback.serverLoop,
            limits: limits,
            admits: admits
        ) { _ in ClosureHandler { _, responder in responder.respond(status: 200) } }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ])
    func `without TLS there is no HTTP, nor an upgrade (abuse case 74)`(_ text: String) async throws {
        let loopback = try Loopback()
        let server = try await serve(loopback)
        let client = try #require(PlainClient.connect(to: server.port))
        client.send(Array(text.utf8))
        let answer = client.receiveAll()
        // At most an alert of TLS.
        #expect(answer.isEmpty || answer.first == 0x15)
        #expect(!answer.starts(with: "HTTP".utf8))
        await server.close()
    }

    @Test func `idle connections are bounded, and one that leaves makes room (abuse case 75)`() async throws {
        let loopback = try Loopback()
        let server = try await serve(loopback, connectionCountMax: 20)
        var clients: [HTTP2ClientConnection] = []
        for _ in 0..<20 { clients.append(try await loopback.connect(to: server.port)) }
        for _ in 0..<5 {
            await #expect(throws: TransportError.self) { try await loopback.connect(to: server.port) }
        }
        #expect(try await clients[0].send(.post("/")).status == 200)
        await clients.removeLast().close()
        // The server learns of the end in its own time.
        var isIn = false
        while !isIn {
            guard let client = try? await loopback.connect(to: server.port) else { continue }
            isIn = try await client.send(.post("/")).status == 200
            await client.close()
        }
        for client in clients { await client.close() }
        await server.close()
    }

    @Test func `without descriptors accepting pauses, and goes on by itself (abuse case 75)`() async throws {
        let loopback = try Loopback()
        let (loop, context) = (loopback.serverLoop, loopback.serverContext)
        let attempts = Attempts()
        let port = try await loop.run {
            Result { () throws(TransportError) in
                let listener = try TLSListener(
                    address: "127.0.0.1",
                    port: 0,
                    context: context,
                    loop: loop,
                    limits: .patient
                ) { _ in
                    Echo()
                }
                listener.isExhausted = { attempts.isExhausted() }
                return listener.port
            }
        }.get()
        let client = try await RecordedChannel.connect(
            loopback,
            to: port,
            limits: ConformanceClient.patience
        ) { channel in try? channel.write(Array("hello".utf8)) }
        var echo: [UInt8] = []
        for await event in client.events {
            if case .received(let piece) = event { echo += piece }
            if echo.count == 5 { await client.channel.loop.run { client.channel.value.abort(.cancelled) } }
        }
        #expect(echo == Array("hello".utf8))
        // Three failures, one client, and one more to find the queue empty: no turn in between.
        #expect(attempts.count.load(ordering: .relaxed) <= 6)
    }

    private final class Attempts: Sendable {
        let count = Atomic<Int>(0)

        func isExhausted() -> Bool {
            count.add(1, ordering: .relaxed).newValue <= 3
        }
    }

    @Test func `who is not admitted is closed before the handshake`() async throws {
        let loopback = try Loopback()
        let asked = Signal<String>()
        let server = try await serve(loopback) { address in
            asked.send(address)
            return false
        }
        await #expect(throws: TransportError.self) { try await loopback.connect(to: server.port) }
        #expect(await asked.next() == "127.0.0.1")
        await server.close()
    }

    @Test(
        arguments: [
            ("TLS 1.0", UInt8(1), [0xC0, 0x13, 0xC0, 0x09, 0x00, 0x2F], UInt8(70)),
            ("TLS 1.1", UInt8(2), [0xC0, 0x13, 0xC0, 0x09, 0x00, 0x2F], UInt8(70)),
            ("TLS 1.2 without forward secrecy", UInt8(3), [0x00, 0x9C, 0x00, 0x2F], UInt8(40)),
            ("TLS 1.2 with CBC", UInt8(3), [0xC0, 0x13, 0xC0, 0x09, 0xC0, 0x27], UInt8(40)),
            ("TLS 1.2 with RC4 and NULL", UInt8(3), [0x00, 0x05, 0x00, 0x02, 0xC0, 0x11], UInt8(40)),
        ] as [(String, UInt8, [UInt8], UInt8)]
    )
    func `old versions and weak ciphers are refused by an alert (abuse case 76)`(
        _ name: String,
        _ minorVersion: UInt8,
        _ suites: [UInt8],
        _ alert: UInt8
    ) async throws {
        let loopback = try Loopback()
        let server = try await serve(loopback)
        let client = try #require(PlainClient.connect(to: server.port))
        client.send(ClientHello.bytes(minorVersion: minorVersion, suites: suites))
        let answer = client.receiveAll()
        // A fatal alert, alone in its record.
        #expect(answer.count == 7 && answer.first == 0x15 && answer[5] == 2, "\(name): \(answer)")
        #expect(answer.last == alert, "\(name)")
        await server.close()
    }

    @Test func `TLS 1.2 with a good cipher is answered, so that those refusals mean something`() async throws {
        let loopback = try Loopback()
        let server = try await serve(loopback)
        let client = try #require(PlainClient.connect(to: server.port))
        client.send(ClientHello.bytes(minorVersion: 3, suites: [0xC0, 0x2B, 0xC0, 0x2F]))
        client.finishSending()
        // A ServerHello.
        let answer = client.receiveAll()
        #expect(answer.first == 0x16 && answer.dropFirst(5).first == 2)
        await server.close()
    }

    @Test(arguments: [["http/1.1"], ["h2c"], []])
    func `another application protocol, or none, is refused (abuse case 76)`(_ protocols: [String]) async throws {
        let authority = try TestAuthority()
        let identity = try authority.issue(names: "DNS:localhost,IP:127.0.0.1")
        let loopback = try Loopback(
            server: unsafe .server(
                certificateChainPEM: identity.certificatePEM,
                privateKeyPEM: identity.privateKeyPEM.span.bytes,
                alpn: ["h2"]
            ),
            client: .client(trust: .pem(authority.certificatePEM), alpn: protocols)
        )
        let server = try await serve(loopback)
        let client = try await RecordedChannel.connect(loopback, to: server.port, limits: ConformanceClient.patience)
        let (bytes, error) = await client.untilClosed()
        #expect(bytes.isEmpty)
        #expect(error != nil)
        await server.close()
    }
}

/// A TLS client's first message, byte by byte (RFC 8446 section 4.1.2), for clients that OpenSSL cannot imitate.
private enum ClientHello {
    static func bytes(minorVersion: UInt8, suites: [UInt8]) -> [UInt8] {
        let groups = list([0x00, 0x1D, 0x00, 0x17])
        let signatures = list([0x04, 0x03, 0x08, 0x04, 0x04, 0x01, 0x02, 0x01, 0x02, 0x03])
        let protocols = list([2] + Array("h2".utf8))
        let extensions =
            [0, 10] + list(groups) + [0, 11, 0, 2, 1, 0] + [0, 13] + list(signatures) + [0, 16] + list(protocols)
        let body =
            [3, minorVersion] + [UInt8](repeating: 0x5A, count: 32) + [0] + list(suites) + [1, 0] + list(extensions)
        let message = [1, 0] + list(body)
        return [0x16, 3, 1] + list(message)
    }

    /// Prefixes the bytes with their length in two bytes.
    private static func list(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }
}
