import TestCertificates

@testable import Transport

/// An HTTP/1.1 server on this machine.
final class HTTP1Loopback {
    let server: HTTP1Server

    init(
        limits: HTTP1Limits = patient,
        _ handle: @escaping @Sendable (HTTP1Request) -> HTTP1Response = HTTP1Loopback.mirror
    ) throws {
        let identity = try TestAuthority().issue()
        let context = unsafe try TLSContext.server(
            certificateChainPEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM.span.bytes,
            alpn: ["http/1.1"]
        )
        server = try .start(address: "127.0.0.1", port: 0, context: context, limits: limits, handle: handle)
    }

    /// Minutes in place of seconds: only a fault makes anyone wait so long.
    static var patient: HTTP1Limits {
        var limits = HTTP1Limits()
        (limits.requestDeadline, limits.answerDeadline) = (.seconds(600), .seconds(600))
        return limits
    }

    func client() throws -> TestClient { try TestClient(port: server.port) }

    /// One whose handshake was in time, where a deadline is so short that it may not be on a busy machine.
    func hastyClient() -> TestClient {
        while true {
            // Too late: the next one.
            if let client = try? client() { return client }
        }
    }

    /// Says what it was asked for.
    static let mirror: @Sendable (HTTP1Request) -> HTTP1Response = { request in
        let query = request.query.map { "?\($0)" } ?? ""
        let text = "\(request.method) \(request.path)\(query) \(String(decoding: request.body, as: UTF8.self))"
        return HTTP1Response(status: 200, body: .bytes(Array(text.utf8)))
    }
}

extension TestClient.Response {
    var text: String { String(decoding: body, as: UTF8.self) }
}
