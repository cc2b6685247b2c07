import Envelope
import HTTP
import PushStore

/// Error answer with advice. Repeats nothing of the request.
///
/// - Source: RFC 9457.
struct SidecarProblem: Error, Equatable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case badRequest = "bad-request"
        case notJSON = "not-json"
        case unauthorized
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case idempotencyConflict = "idempotency-conflict"
        case bodyTooLarge = "body-too-large"
        case invalidFields = "invalid-fields"
        case textTooLong = "text-too-long"
        case queueFull = "queue-full"
        case relayUnreachable = "relay-unreachable"
        case attachmentsUnreachable = "attachments-unreachable"
        case clockSetBack = "clock-set-back"
        case storageFull = "storage-full"
        case draining
        case internalError = "internal-error"

        var status: Int {
            switch self {
            case .badRequest, .notJSON: 400
            case .unauthorized: 401
            case .notFound: 404
            case .methodNotAllowed: 405
            case .idempotencyConflict: 409
            case .bodyTooLarge: 413
            case .invalidFields, .textTooLong: 422
            case .internalError: 500
            case .queueFull, .relayUnreachable, .attachmentsUnreachable, .clockSetBack, .storageFull, .draining: 503
            }
        }

        var title: String {
            switch self {
            case .badRequest: "The request is not one that the sidecar knows"
            case .notJSON: "The body is not JSON"
            case .unauthorized: "The token is needed"
            case .notFound: "There is nothing here"
            case .methodNotAllowed: "The method does not go with this path"
            case .idempotencyConflict: "The idempotency key belongs to another request"
            case .bodyTooLarge: "The body is longer than the sidecar takes"
            case .invalidFields: "Some fields are wrong"
            case .textTooLong: "The message does not fit"
            case .queueFull: "Too much waits for the relay"
            case .relayUnreachable: "The relay was not reached"
            case .attachmentsUnreachable: "The host of attachments takes nothing now"
            case .clockSetBack: "This machine's clock was set back"
            case .storageFull: "The sidecar cannot store anything now"
            case .draining: "The sidecar is stopping"
            case .internalError: "The sidecar failed"
            }
        }
    }

    let kind: Kind
    let detail: String
    /// JSON pointers and faults.
    var errors: [(pointer: String, detail: String)] = []
    var retryAfterSeconds: Int?

    init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    static func == (one: SidecarProblem, other: SidecarProblem) -> Bool {
        one.kind == other.kind && one.detail == other.detail
    }

    /// Says "nothing was stored" only if that is certain.
    init(_ error: StoreError) {
        switch error {
        case .full: self.init(.storageFull, "Nothing was stored: the disk is full. Send it again later.")
        case .unwritable: self.init(.storageFull, "Nothing was stored: the disk takes no writes. Send it again later.")
        default:
            self.init(
                .internalError,
                "The message may or may not be stored; the log says why. Send it again with the same idempotency key."
            )
        }
        if kind == .storageFull { retryAfterSeconds = 10 }
    }

    var answer: HTTPAnswer {
        var answer = HTTPAnswer.json(kind.status, type: "application/problem+json") { writer in
            writer.member("type", "urn:sealedpush:problem:\(kind.rawValue)")
            writer.member("title", kind.title)
            writer.member("status", kind.status)
            writer.member("detail", detail)
            guard !errors.isEmpty else { return }
            writer.name("errors")
            writer.array { writer in
                for error in errors {
                    writer.object {
                        $0.member("pointer", error.pointer)
                        $0.member("detail", error.detail)
                    }
                }
            }
        }
        if let retryAfterSeconds { answer.fields.append("retry-after", Array(String(retryAfterSeconds).utf8)) }
        if kind == .unauthorized { answer.fields.append("www-authenticate", "Bearer") }
        return answer
    }
}

extension HTTPAnswer {
    static func json(
        _ status: Int,
        type: String = "application/json",
        _ members: (inout JSONWriter) -> Void
    ) -> HTTPAnswer {
        var writer = JSONWriter()
        writer.object(members)
        return HTTPAnswer(status: status, fields: fields(type), body: writer.bytes)
    }

    static func fields(_ type: String) -> HeaderBlock {
        var fields = HeaderBlock()
        fields.append("content-type", Array(type.utf8))
        fields.append("cache-control", "no-store")
        return fields
    }
}
