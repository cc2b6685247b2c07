import Envelope
import HTTP
import Networking

/// A back end's connection to a service on this machine: HTTP/2 over TLS, with many requests at once.
final class DaemonCaller: Sendable {
    struct Reply: Sendable {
        let status: Int
        let fields: [String: String]
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: JSONValue? {
            let limits = JSONParser.Limits(byteCountMax: 10_000_000, depthMax: 16, allowsFractions: true)
            return try? JSONParser.parse(body, limits: limits)
        }
        var ids: [String] { json?["notifications"]?.elements?.compactMap { $0["id"]?.string } ?? [] }
        /// The word of the problem's type; nil for another answer.
        var problem: String? {
            guard fields["content-type"] == "application/problem+json" else { return nil }
            return json?["type"]?.string.map { String($0.dropFirst("urn:sealedpush:problem:".count)) }
        }
    }

    private let loop: EventLoop
    private let connection: HTTP2ClientConnection
    let port: UInt16

    /// - Parameters:
    ///   - port: of 127.0.0.1.
    ///   - authority: PEM of the server's authority.
    init(_ port: UInt16, trusting authority: [UInt8]) async throws {
        let loop = try EventLoop()
        let context = try TLSContext.client(trust: .pem(authority), alpn: ["h2"])
        do {
            connection = try await HTTP2ClientConnection.connect(
                host: "localhost",
                port: port,
                context: context,
                loop: loop,
                limits: .patient
            )
        } catch {
            loop.stopLater()
            throw error
        }
        self.loop = loop
        self.port = port
    }

    deinit { loop.stopLater() }

    func close() async { await connection.close() }

    func send(_ method: String, _ path: String, _ key: String, body: String? = nil) async throws -> Reply {
        var headers = HeaderBlock()
        var all = [
            (":method", method), (":scheme", "https"), (":authority", "localhost:\(port)"), (":path", path),
            ("authorization", "Bearer " + key),
        ]
        if body != nil { all.append(("content-type", "application/json")) }
        for (name, value) in all { headers.append(Array(name.utf8), Array(value.utf8)) }
        let response = try await connection.send(HTTP2Request(headers: headers, body: Array((body ?? "").utf8)))
        let fields = response.headers.map {
            (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
        }
        return Reply(status: response.status, fields: Dictionary(fields) { $0 + "," + $1 }, body: response.body)
    }

    func sendAtOnce(_ count: Int, _ method: String, _ path: String, _ key: String, body: String? = nil) async throws
        -> [Reply]
    {
        try await withThrowingTaskGroup(of: Reply.self) { group in
            for _ in 0..<count { group.addTask { try await self.send(method, path, key, body: body) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
