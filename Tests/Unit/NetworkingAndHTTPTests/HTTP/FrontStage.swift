import TestCertificates

@testable import HTTP
@testable import Networking

final class FrontStage: Sendable {
    let loopback: Loopback
    let front: HTTPFront

    /// - Parameters:
    ///   - isPlain: true if it speaks plain text on the loopback address, too.
    ///   - begin: the application.
    init(
        limits: HTTPLimits = .patient,
        isPlain: Bool = false,
        _ begin: @escaping @Sendable (HTTPHead) -> HTTPBeginning = FrontStage.mirror
    ) async throws {
        let authority = try TestAuthority()
        let client = try TLSContext.client(trust: .pem(authority.certificatePEM), alpn: ["h2"])
        loopback = try Loopback(server: try Self.context(authority), client: client)
        front = try await .start(
            listens: [.init(address: "127.0.0.1", port: 0)],
            context: loopback.serverContext,
            loopbackPort: isPlain ? 0 : nil,
            loop: loopback.serverLoop,
            limits: limits,
            application: ClosureApplication(begin)
        )
    }

    static func context(_ authority: TestAuthority) throws -> TLSContext {
        let identity = try authority.issue()
        return unsafe try .server(
            certificateChainPEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM.span.bytes,
            alpn: ["h2", "http/1.1"],
            requiresALPN: false
        )
    }

    var port: UInt16 { front.ports[0] }

    func client() throws -> TestClient { try TestClient(port: port) }

    /// A client whose handshake was in time, for deadlines so short that a busy machine may miss them.
    func hastyClient() -> TestClient {
        while true {
            // Too late: try another.
            if let client = try? client() { return client }
        }
    }

    func connect() async throws -> HTTP2ClientConnection { try await loopback.connect(to: port) }

    func highestBodyMemory() async -> Int {
        let core = front.core
        return await core.loop.run { core.value.service.budget.highestByteCount }
    }

    /// Polls until it is so: each poll waits for the server's loop.
    func wait(until isSo: () async -> Bool) async {
        while await !isSo() {}
    }

    // MARK: Applications

    /// The share of every other request: its key was accepted.
    static let share = HTTPBodyShare.keyed(owner: "test")

    /// Prefix of paths that stand for requests without a key; the next letter is the client's network.
    private static let keyless = Array("/keyless-".utf8)

    /// Answers with the request and its address.
    static let mirror: @Sendable (HTTPHead) -> HTTPBeginning = { head in
        .read(
            byteCountMax: 1 << 20,
            share: head.path.starts(with: keyless) ? .keyless(network: Array(head.path.dropFirst(9).prefix(1))) : share,
            then: ClosureExchange { body, responder in
                responder.respond(FrontStage.answer(head, body))
            }
        )
    }

    static func answer(_ head: HTTPHead, _ body: HTTPBody) -> HTTPAnswer {
        switch body {
        case .whole(let bytes):
            let line = "\(String(decoding: head.method, as: UTF8.self)) \(String(decoding: head.path, as: UTF8.self)) "
            return HTTPAnswer(status: 200, body: Array(line.utf8) + bytes)
        case .tooLarge(let byteCount): return HTTPAnswer(status: 413, body: Array("\(byteCount)".utf8))
        case .noRoom: return HTTPAnswer(status: 503)
        }
    }

    static let closed: @Sendable (HTTPHead) -> HTTPBeginning = { _ in
        .answer(HTTPAnswer(status: 401, body: Array("no".utf8)))
    }
}

/// Keeps responders, for a test to use later.
struct LateAnswers: Sendable {
    let responders = Signal<HTTPResponder>()

    var application: @Sendable (HTTPHead) -> HTTPBeginning {
        let responders = responders
        return { _ in
            .read(
                byteCountMax: 1 << 20,
                share: FrontStage.share,
                then: ClosureExchange { _, responder in responders.send(responder) }
            )
        }
    }
}

final class ClosureApplication: HTTPApplication {
    private let closure: @Sendable (HTTPHead) -> HTTPBeginning

    init(_ closure: @escaping @Sendable (HTTPHead) -> HTTPBeginning) { self.closure = closure }

    func begin(_ head: HTTPHead) -> HTTPBeginning { closure(head) }
}

final class ClosureExchange: HTTPExchange {
    private let closure: (HTTPBody, HTTPResponder) -> Void

    init(_ closure: @escaping (HTTPBody, HTTPResponder) -> Void) { self.closure = closure }

    func finish(_ body: HTTPBody, _ responder: HTTPResponder) { closure(body, responder) }
}

extension HTTP2Request {
    static func make(_ method: String, _ path: String, body: [UInt8] = []) -> HTTP2Request {
        var headers = HeaderBlock()
        headers.append(":method", Array(method.utf8))
        headers.append(":scheme", "https")
        headers.append(":authority", "localhost")
        headers.append(":path", Array(path.utf8))
        return HTTP2Request(headers: headers, body: body)
    }
}

extension HTTP2Response {
    var text: String { String(decoding: body, as: UTF8.self) }
}
