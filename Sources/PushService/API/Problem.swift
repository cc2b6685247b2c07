import Envelope
import ServiceParts

/// Error answer with advice. Repeats only what looks like a name.
///
/// - Source: RFC 9457.
package struct Problem: Error, Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case badRequest = "bad-request"
        case notJSON = "not-json"
        case unauthorized
        case forbidden
        case notFound = "not-found"
        case gone
        case methodNotAllowed = "method-not-allowed"
        case idempotencyConflict = "idempotency-conflict"
        case keyTaken = "key-taken"
        case vapidMissing = "vapid-missing"
        case vapidRefused = "vapid-refused"
        case notProven = "not-proven"
        case payloadTooLarge = "payload-too-large"
        case bodyTooLarge = "body-too-large"
        case unsupportedMediaType = "unsupported-media-type"
        case invalidFields = "invalid-fields"
        case plainText = "plain-text"
        case tooManyRequests = "too-many-requests"
        case quotaExceeded = "quota-exceeded"
        case storageFull = "storage-full"
        case draining
        case internalError = "internal-error"

        package var status: Int {
            switch self {
            case .badRequest, .notJSON: 400
            case .unauthorized, .vapidMissing: 401
            case .forbidden, .notProven, .vapidRefused: 403
            case .notFound: 404
            case .gone: 410
            case .methodNotAllowed: 405
            case .idempotencyConflict, .keyTaken: 409
            case .payloadTooLarge, .bodyTooLarge: 413
            case .unsupportedMediaType: 415
            case .invalidFields, .plainText: 422
            case .tooManyRequests, .quotaExceeded: 429
            case .internalError: 500
            case .storageFull, .draining: 503
            }
        }

        package var title: String {
            switch self {
            case .badRequest: "The request is malformed"
            case .notJSON: "The body is not JSON"
            case .unauthorized: "An API key is needed"
            case .forbidden: "The API key may not do this"
            case .notFound: "There is no such resource"
            case .gone: "The endpoint is gone"
            case .methodNotAllowed: "The path does not allow this method"
            case .idempotencyConflict: "The idempotency key belongs to another request"
            case .keyTaken: "The endpoint key belongs to another device"
            case .vapidMissing: "The server must sign its push"
            case .vapidRefused: "The server's signature is not accepted"
            case .notProven: "The enrolment is not proven"
            case .payloadTooLarge: "The payload is larger than Apple allows"
            case .bodyTooLarge: "The body is too long"
            case .unsupportedMediaType: "The body's type is not supported"
            case .invalidFields: "Some fields are wrong"
            case .plainText: "Only sealed content is accepted"
            case .tooManyRequests: "Too many requests"
            case .quotaExceeded: "Today's quota is used up"
            case .storageFull: "The service cannot store anything now"
            case .draining: "The service is stopping"
            case .internalError: "The service failed"
            }
        }
    }

    package struct Field: Equatable, Sendable {
        package let pointer: String
        package let detail: String
    }

    package let kind: Kind
    package internal(set) var detail: String
    package var fields: [Field] = []
    /// JSON of the notifications that were stored; nil for none.
    var stored: [UInt8]?
    /// Room in bytes, if something is too large.
    package var byteCountMax: Int?
    package var byteCount: Int?
    package var retryAfterSeconds: Int64?
    /// Methods for a 405.
    package var allow: [String] = []
    /// Expired key's, for log and metrics.
    package var endedKey: Grant?

    package init(_ kind: Kind, _ detail: String, _ fields: [Field] = []) {
        self.kind = kind
        self.detail = detail
        self.fields = fields
    }

    package var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("type", "urn:sealedpush:problem:\(kind.rawValue)")
            writer.member("title", kind.title)
            writer.member("status", kind.status)
            writer.member("detail", detail)
            if let byteCount { writer.member("bytes", byteCount) }
            if let byteCountMax { writer.member("room", byteCountMax) }
            if let stored {
                writer.name("notifications")
                writer.raw(stored)
            }
            guard !fields.isEmpty else { return }
            writer.name("errors")
            writer.array { writer in
                for field in fields {
                    writer.object {
                        $0.member("pointer", field.pointer)
                        $0.member("detail", field.detail)
                    }
                }
            }
        }
    }

    package var response: APIResponse {
        var fields: [APIRequest.Field] = [
            .init("content-type", "application/problem+json"), .init("cache-control", "no-store"),
        ]
        if kind == .unauthorized { fields.append(.init("www-authenticate", "Bearer")) }
        if kind == .vapidMissing { fields.append(.init("www-authenticate", "vapid")) }
        if let retryAfterSeconds { fields.append(.init("retry-after", String(max(1, retryAfterSeconds)))) }
        if !allow.isEmpty { fields.append(.init("allow", allow.joined(separator: ", "))) }
        return APIResponse(status: kind.status, fields: fields, body: json)
    }
}

extension Problem {
    /// Same for revoked and invented endpoints: neither tells of the other.
    static var gone: Problem { Problem(.gone, "Forget this endpoint: its device has revoked it, or is gone.") }

    static let sealingAdvice =
        "seal the text for each recipient with its key bundle (GET /v1/devices/{id}/bundle), and send the resulting"
        + " 3,840 characters as 'sealed'; Apple sees only the app's placeholder, from the configuration"

    /// Status of the worst fault: plain text, then size, then the rest.
    init(_ faults: [FieldError]) {
        if faults.contains(where: { $0.kind == .plainText }) {
            self.init(
                .plainText,
                "This field is clear text, which every server on the way could read. Instead, \(Self.sealingAdvice)."
            )
            fields = Self.fields(faults.filter { $0.kind == .plainText })
            return
        }
        for fault in faults {
            guard case .tooLarge(let byteCount, let byteCountMax) = fault.kind else { continue }
            self.init(.payloadTooLarge, "The limit is \(byteCountMax) bytes, and this has \(byteCount).")
            self.byteCount = byteCount
            self.byteCountMax = byteCountMax
            fields = Self.fields([fault])
            return
        }
        self.init(.invalidFields, "Correct each field listed here and send the request again.")
        fields = Self.fields(faults)
    }

    private static func fields(_ faults: [FieldError]) -> [Field] {
        faults.map { Field(pointer: $0.path.pointer, detail: $0.problem) }
    }
}
