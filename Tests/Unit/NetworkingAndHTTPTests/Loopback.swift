import TestCertificates

@testable import HTTP
@testable import Networking

/// A server and clients on one machine, each with its own loop, and an authority that both trust.
final class Loopback: Sendable {
    let serverLoop: EventLoop
    let clientLoop: EventLoop
    let serverContext: TLSContext
    let clientContext: TLSContext

    init(names: String = "DNS:localhost,IP:127.0.0.1") throws {
        let authority = try TestAuthority()
        let identity = try authority.issue(names: names)
        serverContext = unsafe try .server(
            certificateChainPEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM.span.bytes,
            alpn: ["h2"]
        )
        clientContext = try .client(trust: .pem(authority.certificatePEM), alpn: ["h2"])
        serverLoop = try EventLoop()
        clientLoop = try EventLoop()
    }

    init(server: TLSContext, client: TLSContext) throws {
        serverContext = server
        clientContext = client
        serverLoop = try EventLoop()
        clientLoop = try EventLoop()
    }

    deinit {
        clientLoop.stopAnywhere()
        serverLoop.stopAnywhere()
    }

    func serve(
        limits: HTTP2ServerLimits = HTTP2ServerLimits.patient,
        _ handle: @escaping @Sendable (HTTP2ServerRequest, HTTP2Responder) -> Void
    ) async throws -> HTTP2Server {
        try await serve(limits: limits) { _ in ClosureHandler(handle) }
    }

    func serve(
        limits: HTTP2ServerLimits = HTTP2ServerLimits.patient,
        makeHandler: @escaping @Sendable (HTTP2ServerConnection) -> any HTTP2Handler
    ) async throws -> HTTP2Server {
        try await .start(
            address: "127.0.0.1",
            port: 0,
            context: serverContext,
            loop: serverLoop,
            limits: limits,
            makeHandler: makeHandler
        )
    }

    func connect(
        to port: UInt16,
        host: String = "127.0.0.1",
        limits: HTTP2ClientLimits = HTTP2ClientLimits.patient,
        onEvent: @escaping @Sendable (HTTP2ClientEvent) -> Void = { _ in }
    ) async throws -> HTTP2ClientConnection {
        try await .connect(
            host: host,
            port: port,
            context: clientContext,
            loop: clientLoop,
            limits: limits,
            onEvent: onEvent
        )
    }
}

final class ClosureHandler: HTTP2Handler {
    private let closure: @Sendable (HTTP2ServerRequest, HTTP2Responder) -> Void

    init(_ closure: @escaping @Sendable (HTTP2ServerRequest, HTTP2Responder) -> Void) {
        self.closure = closure
    }

    func handle(_ request: HTTP2ServerRequest, _ responder: HTTP2Responder) {
        closure(request, responder)
    }
}

extension HTTP2Request {
    static func post(_ path: StaticString, body: [UInt8] = []) -> HTTP2Request {
        var headers = HeaderBlock()
        headers.append(":method", "POST")
        headers.append(":scheme", "https")
        headers.append(":authority", "localhost")
        headers.append(":path", path)
        return HTTP2Request(headers: headers, body: body)
    }
}
