import Envelope
import HTTP
import Networking

enum HealthCaller {
    /// - Parameters:
    ///   - port: of 127.0.0.1.
    ///   - authority: PEM of the server's authority.
    /// - Returns: status and body.
    static func get(_ port: UInt16, _ path: String, trusting authority: [UInt8]) async throws -> (Int, String) {
        let loop = try EventLoop()
        defer { loop.stopLater() }
        let context = try TLSContext.client(trust: .pem(authority), alpn: ["h2"])
        let connection = try await HTTP2ClientConnection.connect(
            host: "localhost",
            port: port,
            context: context,
            loop: loop,
            limits: .patient
        )
        var headers = HeaderBlock()
        for (name, value) in [
            (":method", "GET"), (":scheme", "https"), (":authority", "localhost:\(port)"), (":path", path),
        ] { headers.append(Array(name.utf8), Array(value.utf8)) }
        let response = try await connection.send(HTTP2Request(headers: headers, body: []))
        await connection.close()
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }
}
