import Envelope
import HTTP
import Platform
import PushStore
import ServiceParts

extension HTTPAnswer {
    /// No cache may keep an answer.
    private static let jsonFields = fields(of: [("content-type", "application/json"), ("cache-control", "no-store")])
    private static let emptyFields = fields(of: [("cache-control", "no-store")])

    static let noContent = HTTPAnswer(status: 204, fields: emptyFields)

    static func json(_ status: Int, tag: String? = nil, _ members: (inout JSONWriter) -> Void) -> HTTPAnswer {
        var writer = JSONWriter(reserving: 224)
        writer.object(members)
        return HTTPAnswer(status: status, fields: tagged(jsonFields, tag), body: writer.bytes)
    }

    static func json(_ status: Int, bytes: [UInt8]) -> HTTPAnswer {
        HTTPAnswer(status: status, fields: jsonFields, body: bytes)
    }

    static func record(_ bytes: [UInt8]) -> HTTPAnswer {
        let fields = fields(of: [("content-type", "application/octet-stream"), ("cache-control", "no-store")])
        return HTTPAnswer(status: 200, fields: fields, body: bytes)
    }

    /// A message resource.
    ///
    /// - Source: RFC 8030 section 5.
    static func created(at location: [UInt8], ttl: Int64) -> HTTPAnswer {
        var fields = emptyFields
        fields.append("location", location, indexing: .notIndexed)
        fields.append("ttl", Array(String(ttl).utf8))
        return HTTPAnswer(status: 201, fields: fields)
    }

    static func notModified(_ tag: EntityTag) -> HTTPAnswer {
        HTTPAnswer(status: 304, fields: tagged(emptyFields, tag.field))
    }

    private static func tagged(_ fields: HeaderBlock, _ tag: String?) -> HeaderBlock {
        guard let tag else { return fields }
        var fields = fields
        fields.append(Array("etag".utf8), Array(tag.utf8))
        return fields
    }

    static func text(_ contentType: String, _ body: [UInt8]) -> HTTPAnswer {
        HTTPAnswer(
            status: 200,
            fields: fields(of: [("content-type", contentType), ("cache-control", "no-store")]),
            body: body
        )
    }

    init(_ problem: Problem) {
        let response = problem.response
        self.init(
            status: response.status,
            fields: Self.fields(of: response.fields.map { ($0.name, $0.value) }),
            body: response.body
        )
    }

    private static func fields(of fields: [(name: String, value: String)]) -> HeaderBlock {
        var block = HeaderBlock()
        for field in fields { block.append(Array(field.name.utf8), Array(field.value.utf8)) }
        return block
    }
}

extension Timestamp {
    /// `2031-05-04T10:00:00.250Z`
    var text: String { ISODateTime.text(milliseconds: Int64(clamping: milliseconds)) }
}

extension Problem {
    /// Says "nothing was stored" only if certain: after a disk failure, written data may be there on reopening.
    init(_ error: StoreError) {
        switch error {
        case .full:
            self.init(
                .storageFull,
                "Nothing was stored: the disk is full. Send it again later; stored notifications are safe."
            )
            retryAfterSeconds = 10
        case .unwritable:
            self.init(
                .storageFull,
                "Nothing was stored: the disk cannot be written, and the operator must check it. Send it again later;"
                    + " stored notifications are safe."
            )
            retryAfterSeconds = 60
        case .uncertain:
            self.init(
                .storageFull,
                "It may have been stored: the disk failed, or was too slow, and the operator must check it."
                    + " Send it again later, with the same idempotency key."
            )
            retryAfterSeconds = 10
        case .broken:
            self.init(
                .storageFull,
                "Nothing was stored: the disk failed before, and the operator must check it. Send it again later."
            )
            retryAfterSeconds = 60
        case .moved:
            self.init(
                .storageFull,
                "Nothing was stored: the database's file was moved or removed while the service ran, and the operator"
                    + " must put it back. Send it again later."
            )
            retryAfterSeconds = 60
        case .restored:
            self.init(
                .storageFull,
                "Nothing was stored: the database was restored, and the operator must acknowledge that"
                    + " (sealedpushd acknowledge-restore). Send it again later."
            )
            retryAfterSeconds = 60
        case .overloaded:
            self.init(.tooManyRequests, "Nothing was stored: too many writes are waiting. Send it again later.")
            retryAfterSeconds = 1
        case .timedOut:
            self.init(.tooManyRequests, "Nothing was stored: the database took too long. Send it again later.")
            retryAfterSeconds = 1
        case .disconnected, .cancelled:
            self.init(.storageFull, "Nothing was stored: the database was out of reach. Send it again later.")
            retryAfterSeconds = 1
        case .noStandby, .otherSchema:
            self.init(
                .storageFull,
                "Nothing was stored: the database lacks its standby or has another schema, and the operator must check it."
                    + " Send it again later."
            )
            retryAfterSeconds = 10
        case .wrongClock:
            self.init(
                .storageFull,
                "Nothing was stored: this relay's clock differs from the database's, and the operator must set both (NTP)."
                    + " Send it again later, or to another relay."
            )
            retryAfterSeconds = 10
        case .lateOwner:
            self.init(.storageFull, "Nothing was stored: another relay has taken over. Send it again later.")
            retryAfterSeconds = 1
        case .noPlace:
            self.init(.storageFull, "Nothing was stored: there is no slot for this device's id. Use another id.")
        case .closed:
            self.init(.draining, "Nothing was stored: the service is stopping. Send it again later.")
            retryAfterSeconds = 10
        case .invalidCursor:
            self.init(.badRequest, "Use 'cursor' from the previous page, or begin again without it.")
        case .byteCount(let field, let counts):
            self.init(
                .invalidFields,
                "'\(field.rawValue)' must have a length from \(counts.lowerBound) to \(counts.upperBound)."
            )
        case .inUse, .otherName, .newerFile, .notAStore, .wrongKey, .damaged, .failed:
            self.init(
                .internalError,
                "It may have been stored; see the service's log. Send it again with the same idempotency key."
            )
        }
    }

    var refusal: ServiceMetrics.Rejection {
        switch kind {
        case .unauthorized, .forbidden, .notProven, .vapidMissing, .vapidRefused:
            endedKey == nil ? .unauthorized : .endedKey
        case .tooManyRequests: .rate
        case .quotaExceeded: .quota
        case .plainText: .plainText
        case .payloadTooLarge, .bodyTooLarge: .tooLarge
        case .storageFull, .internalError: .storage
        case .draining: .draining
        case .badRequest, .notJSON, .notFound, .gone, .methodNotAllowed, .idempotencyConflict, .keyTaken,
            .unsupportedMediaType, .invalidFields:
            .invalid
        }
    }
}

extension ServiceContext {
    /// Turns the store's error into a problem. Logs errors that the caller cannot correct.
    func asking<Value>(_ work: () async throws(StoreError) -> Value) async throws(Problem) -> Value {
        do throws(StoreError) {
            return try await work()
        } catch {
            throw problem(error)
        }
    }

    func problem(_ error: StoreError) -> Problem {
        let problem = Problem(error)
        if error == .uncertain { metrics.withLock { $0.didNotLearnCommit() } }
        // The error contains nothing of a request.
        if problem.kind == .internalError {
            log.event("store-failed", .error, at: clock.now(), [("error", "\(error)")])
        }
        return problem
    }

    func refuse(_ problem: Problem) -> HTTPAnswer {
        metrics.withLock { $0.didRefuse(problem.refusal) }
        return HTTPAnswer(problem)
    }

    /// Logs the key's name, never the key.
    func audit(_ act: StaticString, _ grant: Grant?, _ more: [ServiceLog.Member]) {
        let who: [ServiceLog.Member] = [
            ("act", act.description), ("tenant", grant?.tenant.text ?? ""), ("key", grant?.keyName ?? ""),
        ]
        log.event("audit", at: clock.now(), who + more)
    }
}
