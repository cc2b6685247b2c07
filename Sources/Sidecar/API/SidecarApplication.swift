import Envelope
import HTTP
import Networking
import Platform
import Primitives
import ServiceParts

/// HTTP API of one listener: admission on the server's loop, the rest as tasks on the core's.
final class SidecarApplication: HTTPApplication {
    private let core: LoopBound<SidecarCore>
    private let bodyByteCountMax: Int
    /// Digest of the token; nil where the socket's mode decides.
    private let tokenDigest: SecretBytes?

    init(_ core: LoopBound<SidecarCore>, bodyByteCountMax: Int, tokenDigest: consuming SecretBytes?) {
        self.core = core
        self.bodyByteCountMax = bodyByteCountMax
        self.tokenDigest = tokenDigest
    }

    func begin(_ head: HTTPHead) -> HTTPBeginning {
        do throws(SidecarProblem) {
            let route = try SidecarRoute(method: Self.text(head.method), path: Self.text(head.path))
            if route.needsToken, !isAdmitted(head) {
                throw SidecarProblem(.unauthorized, "Send the token of 'token-file' as 'Authorization: Bearer …'.")
            }
            let key = try Self.idempotencyKey(head)
            return .read(
                byteCountMax: route.takesBody ? bodyByteCountMax : 0,
                share: .keyed(owner: "back-end"),
                then: SidecarExchange(core, route, key: key, byteCountMax: bodyByteCountMax)
            )
        } catch {
            return .answer(error.answer)
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.prefix(512), as: UTF8.self)
    }

    /// Compares digests in constant time, so that the token's length stays secret too.
    private func isAdmitted(_ head: HTTPHead) -> Bool {
        let prefix = Array("Bearer ".utf8)
        let value = head.fields["authorization"].flatMap { $0.starts(with: prefix) ? $0.dropFirst(prefix.count) : nil }
        switch tokenDigest {
        case .none: return true
        case .some(let wanted): return Self.digest(of: Array(value ?? [])).isEqual(to: wanted)
        }
    }

    static func digest(of token: [UInt8]) -> SecretBytes {
        unsafe SecretBytes(copying: SHA256.hash(token).span.bytes)
    }

    private static func idempotencyKey(_ head: HTTPHead) throws(SidecarProblem) -> String? {
        guard let value = head.fields["idempotency-key"] else { return nil }
        guard (1...255).contains(value.count), value.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw SidecarProblem(.badRequest, "'Idempotency-Key' has 1 to 255 printable ASCII characters.")
        }
        return text(value)
    }
}

private final class SidecarExchange: HTTPExchange {
    private let core: LoopBound<SidecarCore>
    private let route: SidecarRoute
    private let key: String?
    private let byteCountMax: Int

    init(_ core: LoopBound<SidecarCore>, _ route: SidecarRoute, key: String?, byteCountMax: Int) {
        self.core = core
        self.route = route
        self.key = key
        self.byteCountMax = byteCountMax
    }

    func finish(_ body: HTTPBody, _ responder: HTTPResponder) {
        switch body {
        case .whole(let bytes):
            let (core, route, key) = (core, route, key)
            // Ends with its answer; a request that breaks off cancels nothing.
            Task(executorPreference: core.loop) { responder.respond(await core.value.answer(route, bytes, key: key)) }
        case .tooLarge:
            let problem =
                route.takesBody
                ? SidecarProblem(.bodyTooLarge, "Send less in one request: the body may have \(byteCountMax) bytes.")
                : SidecarProblem(.badRequest, "Leave the body out; this operation takes none.")
            responder.respond(problem.answer)
        case .noRoom:
            var problem = SidecarProblem(.queueFull, "Send it again later; too many bodies are being read.")
            problem.retryAfterSeconds = 1
            responder.respond(problem.answer)
        }
    }
}

extension SidecarCore {
    func answer(_ route: SidecarRoute, _ body: [UInt8], key: String?) async -> HTTPAnswer {
        do throws(SidecarProblem) {
            switch route {
            case .postMessage: return try await submit(body, key: key)
            case .getMessage(let id): return try state(of: id)
            case .deleteDevice(let id):
                try forget(id)
                return HTTPAnswer(status: 204)
            case .getResends: return try wantedResends()
            case .postEvents: return try await take(body)
            case .health: return .json(200) { $0.member("status", "ok") }
            case .readiness: return try readiness()
            case .metrics:
                var text: [UInt8] = []
                metrics.append(to: &text, load: store.load)
                ProcessMetrics.append(to: &text)
                return HTTPAnswer(
                    status: 200,
                    fields: HTTPAnswer.fields(MetricsText.contentType),
                    body: text
                )
            }
        } catch {
            metrics.refused[error.kind, default: 0] += 1
            return error.answer
        }
    }

    /// 503 with the reason if no message is taken now. An unreached relay is no reason: that is the queue's work.
    private func readiness() throws(SidecarProblem) -> HTTPAnswer {
        guard !isStopping else { throw Self.draining }
        guard store.load.count < limits.queuedCountMax, store.load.byteCount < limits.queuedByteCountMax else {
            throw SidecarProblem(.queueFull, "\(store.load.count) copies wait for the relay, and no more are taken.")
        }
        return .json(200) { writer in
            writer.member("status", "ready")
            writer.member("queued", store.load.count)
            writer.member("relay-reached", queue.failureCount == 0)
        }
    }
}
