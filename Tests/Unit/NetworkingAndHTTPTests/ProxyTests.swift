import Platform
import TestSupport
import Testing

@testable import HTTP
@testable import Networking

@Suite struct ProxyTests {
    private func answer(
        through proxy: Proxy,
        host: String = "localhost",
        _ change: (inout HTTP2ClientLimits) -> Void = { _ in }
    ) async throws -> [UInt8] {
        let loopback = try Loopback()
        let server = try await loopback.serve { request, responder in
            responder.respond(status: 200, body: request.body.reversed())
        }
        var limits = HTTP2ClientLimits.patient
        limits.channel.route.proxy = proxy
        change(&limits)
        let client = try await loopback.connect(to: server.port, host: host, limits: limits)
        let response = try await client.send(.post("/", body: Array("hello".utf8)))
        await client.close()
        await server.close()
        return response.body
    }

    /// The error of a connection to an existing target.
    private func failure(
        _ kind: Proxy.Kind = .http,
        credentials: ProxyCredentials? = nil,
        _ change: (inout HTTP2ClientLimits) -> Void = { _ in },
        _ script: @escaping TestProxy.Script
    ) async throws -> TransportError? {
        let testProxy = try TestProxy(script)
        let proxy: Proxy =
            switch kind {
            case .http: try .http(host: "127.0.0.1", port: testProxy.port, credentials: credentials)
            case .socks5: try .socks5(host: "127.0.0.1", port: testProxy.port, credentials: credentials)
            }
        defer { withExtendedLifetime(testProxy) {} }
        do {
            _ = try await answer(through: proxy, change)
            return nil
        } catch {
            return error as? TransportError
        }
    }

    private func credentials(_ user: String, _ password: String) throws -> ProxyCredentials {
        try ProxyCredentials(user: Array(user.utf8), password: Array(password.utf8))
    }

    // MARK: Through

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a request goes through an HTTP proxy, which gets the name`(_ host: String) async throws {
        let seen = Guarded<[String]>([])
        let testProxy = try TestProxy.http { head in seen.withLock { $0 = head } }
        let proxy = try Proxy(url: "http://127.0.0.1:\(testProxy.port)")
        #expect(try await answer(through: proxy, host: host) == Array("olleh".utf8))
        let head = seen.withLock { $0 }
        #expect(head.count == 2)
        #expect(head.first?.hasPrefix("CONNECT \(host):") == true)
        #expect(head.last?.hasPrefix("Host: \(host):") == true)
    }

    @Test func `an HTTP proxy gets the credentials that it asks for`() async throws {
        // RFC 7617 section 2's own example.
        let testProxy = try TestProxy.http(authorization: "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        let proxy = try Proxy(url: "http://Aladdin:open%20sesame@127.0.0.1:\(testProxy.port)")
        #expect(try await answer(through: proxy) == Array("olleh".utf8))
    }

    @Test(
        arguments: [
            ("localhost", [UInt8](arrayLiteral: 3, 9) + Array("localhost".utf8)), ("127.0.0.1", [1, 127, 0, 0, 1]),
        ]
    )
    func `a request goes through a SOCKS5 proxy, which gets the name`(_ host: String, _ address: [UInt8]) async throws {
        let seen = Guarded<[UInt8]>([])
        let testProxy = try TestProxy.socks5 { address in seen.withLock { $0 = address } }
        let proxy = try Proxy(url: "socks5h://127.0.0.1:\(testProxy.port)")
        #expect(try await answer(through: proxy, host: host) == Array("olleh".utf8))
        #expect(seen.withLock { Array($0.dropLast(2)) } == address)
    }

    @Test func `a SOCKS5 proxy gets the credentials that it asks for`() async throws {
        let testProxy = try TestProxy.socks5(user: "Aladdin", password: "open sesame")
        let proxy = try Proxy(url: "socks5://Aladdin:open%20sesame@127.0.0.1:\(testProxy.port)")
        #expect(try await answer(through: proxy) == Array("olleh".utf8))
    }

    @Test func `replies in single bytes are as good as whole ones`() async throws {
        let loopback = try Loopback()
        let server = try await loopback.serve { _, responder in responder.respond(status: 200) }
        let port = server.port
        let http = try TestProxy { caller in
            guard caller.readHead() != nil else { return }
            caller.writeInSingleBytes(Array("HTTP/1.0 200\r\nX: y\r\n\r\n".utf8))
            caller.relay(to: port)
        }
        let socks = try TestProxy { caller in
            guard caller.read(3) != nil else { return }
            caller.writeInSingleBytes([5, 0])
            guard caller.read(10) != nil else { return }
            caller.writeInSingleBytes([5, 0, 0, 3, 2, 65, 66, 1, 187])
            caller.relay(to: port)
        }
        for proxy in [
            try Proxy.http(host: "127.0.0.1", port: http.port), try .socks5(host: "127.0.0.1", port: socks.port),
        ] {
            var limits = HTTP2ClientLimits.patient
            limits.channel.route.proxy = proxy
            let client = try await loopback.connect(to: port, limits: limits)
            #expect(try await client.send(.post("/")).status == 200)
            await client.close()
        }
        await server.close()
    }

    // MARK: Not through

    @Test func `a proxy that wants credentials is told by its status`() async throws {
        let testProxy = try TestProxy.http(authorization: "Basic eDp5")
        let proxy = try Proxy(url: "http://x:z@127.0.0.1:\(testProxy.port)")
        await #expect(throws: TransportError.proxy(.refused(status: 407))) { try await answer(through: proxy) }
    }

    @Test func `a SOCKS5 proxy that wants credentials is told, and so are wrong ones`() async throws {
        let testProxy = try TestProxy.socks5(user: "x", password: "y")
        let none = try Proxy(url: "socks5://127.0.0.1:\(testProxy.port)")
        await #expect(throws: TransportError.proxy(.noCommonAuthentication)) { try await answer(through: none) }
        let wrong = try Proxy(url: "socks5://x:z@127.0.0.1:\(testProxy.port)")
        await #expect(throws: TransportError.proxy(.credentialsRefused)) { try await answer(through: wrong) }
    }

    @Test func `a refusal by a SOCKS5 proxy keeps its code`() async throws {
        let error = try await failure(.socks5) { caller in
            guard caller.read(3) != nil else { return }
            caller.write([5, 0])
            guard caller.read(5) != nil else { return }
            caller.write([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])
            caller.waitForEnd()
        }
        #expect(error == .proxy(.refusedBySOCKS(code: 5)))
    }

    @Test(arguments: [Proxy.Kind.http, .socks5])
    func `garbage is told at once`(_ kind: Proxy.Kind) async throws {
        let error = try await failure(kind) { caller in
            caller.write(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))
            caller.waitForEnd()
        }
        #expect(error == .proxy(.replyMalformed))
    }

    @Test(arguments: [Proxy.Kind.http, .socks5])
    func `a proxy that hangs up is told`(_ kind: Proxy.Kind) async throws {
        let error = try await failure(kind) { caller in
            // All of the caller's first bytes; a close before they are read would be a reset.
            _ = kind == .http ? caller.readHead()?.count : caller.read(3)?.count
        }
        #expect(error == .proxy(.closed))
    }

    @Test(arguments: [Proxy.Kind.http, .socks5])
    func `a proxy that never answers runs into the connect deadline`(_ kind: Proxy.Kind) async throws {
        var error: TransportError? = .deadlineExceeded(.connect)
        // Long enough to reach the proxy; repeated if the machine stood still.
        for _ in 0..<20 where error == .deadlineExceeded(.connect) {
            error = try await failure(kind) {
                $0.channel.connectDeadline = .seconds(1)
            } _: { caller in
                caller.waitForEnd()
            }
        }
        #expect(error == .deadlineExceeded(.proxy))
    }

    @Test func `an endless reply is cut off`() async throws {
        let error = try await failure { caller in
            guard caller.readHead() != nil else { return }
            caller.write(Array("HTTP/1.1 200 OK\r\n".utf8))
            caller.write(Array(String(repeating: "X-Filler: 0123456789\r\n", count: 1000).utf8))
            caller.waitForEnd()
        }
        #expect(error == .proxy(.replyTooLong(byteCountMax: 8192)))
    }

    @Test func `bytes behind the reply are not the target's`() async throws {
        let error = try await failure { caller in
            guard caller.readHead() != nil else { return }
            caller.write(Array("HTTP/1.1 200 OK\r\n\r\n\u{16}".utf8))
            caller.waitForEnd()
        }
        #expect(error == .proxy(.bytesBehindReply))
    }

    @Test func `a proxy that is not there is told apart from a target that is not`() async throws {
        let nobody = try HeldPort.deaf()
        let proxy = try Proxy.http(host: "127.0.0.1", port: nobody.number)
        await #expect(throws: TransportError.proxy(.unreachable(.connectionRefused))) {
            try await answer(through: proxy)
        }
    }

    @Test(arguments: ["a b", "a\r\nX: y", "é", ""])
    func `a host that would break the request is refused before anything is sent`(_ host: String) async throws {
        let proxy = try Proxy.http(host: "127.0.0.1", port: 1)
        #expect(throws: ProxyError.targetInvalid) { try ProxyNegotiation(proxy, host: host, port: 443) }
    }
}
