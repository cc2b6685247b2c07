private import Glibc
private import Networking
private import Platform
package import TestCertificates
private import TestSupport

/// A server over TLS on this machine that runs its script for each request, right or wrong. A connection that its
/// script did not end takes another request.
package final class TestWebServer: Sendable {
    package struct Request: Sendable {
        package let method: String
        /// From the slash on, with the query.
        package let target: String
        /// By name in lower case.
        package let fields: [String: String]
        /// The body, of content-length bytes.
        package let body: [UInt8]
        /// 0 for the server's first request.
        package let number: Int
    }

    /// One of a connection's acts, which follow each other.
    package enum Step: Sendable {
        case send([UInt8])
        /// Each byte in a record of its own.
        case sendOneByOne([UInt8])
        /// Until the other side has enough.
        case sendForever([UInt8])
        /// The connection stays open, and nothing happens on it.
        case hold
        /// Nothing happens for so long.
        case pause(Duration)
        /// In order, by TLS.
        case close
        /// As if a cable were cut.
        case cut
    }

    package typealias Script = @Sendable (Request) -> [Step]

    package let port: UInt16
    private let loop: EventLoop
    private let log: Guarded<[Request]>
    private let connections: Guarded<Int>

    private init(port: UInt16, loop: EventLoop, log: Guarded<[Request]>, connections: Guarded<Int>) {
        self.port = port
        self.loop = loop
        self.log = log
        self.connections = connections
    }

    deinit { loop.stopAnywhere() }

    /// - Parameters:
    ///   - identity: the server's certificate.
    ///   - script: called once for each request, on any thread.
    /// - Returns: the server, which listens on 127.0.0.1 until it is dropped.
    package static func start(_ identity: TestAuthority.Identity, script: @escaping Script) async throws
        -> TestWebServer
    {
        // libcurl sends its TLS close even to a server that is gone; that must not end the tests.
        _ = signal(SIGPIPE, SIG_IGN)
        let context = unsafe try TLSContext.server(
            certificateChainPEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM.span.bytes,
            alpn: ["http/1.1"]
        )
        let loop = try EventLoop()
        let log = Guarded<[Request]>([])
        let connections = Guarded(0)
        let port = await loop.run { () -> Result<UInt16, TransportError> in
            Result { () throws(TransportError) in
                try TLSListener(address: "127.0.0.1", port: 0, context: context, loop: loop, limits: .patient) { _ in
                    connections.withLock { $0 += 1 }
                    return ScriptedConnection(loop: loop) { head, body in
                        let request = log.withLock { log in
                            let request = Request(head, body: body, number: log.count)
                            log.append(request)
                            return request
                        }
                        return script(request)
                    }
                }
                .port
            }
        }
        return TestWebServer(port: try port.get(), loop: loop, log: log, connections: connections)
    }

    package var requests: [Request] { log.withLock { $0 } }

    package var connectionCount: Int { connections.withLock { $0 } }

    package func url(_ target: String) -> String { "https://localhost:\(port)\(target)" }
}

extension TestWebServer.Request {
    fileprivate init(_ head: String, body: [UInt8], number: Int) {
        let lines = head.split(separator: "\r\n")
        let words = lines.first.map { $0.split(separator: " ") } ?? []
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " }) }
        }
        self.init(
            method: words.first.map(String.init) ?? "",
            target: words.count > 1 ? String(words[1]) : "",
            fields: fields,
            body: body,
            number: number
        )
    }
}

extension TestWebServer.Step {
    /// A whole answer, or its head alone where `body` is nil.
    package static func answer(
        _ status: String = "200 OK",
        _ fields: [String: String] = [:],
        body: [UInt8]? = nil
    ) -> Self {
        var fields = fields
        if let body, fields["Content-Length"] == nil { fields["Content-Length"] = "\(body.count)" }
        let lines = ["HTTP/1.1 \(status)"] + fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return .send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? []))
    }
}
