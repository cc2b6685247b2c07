import APNS
import Envelope
import Primitives
import PushStore

enum SubmissionBody: Sendable {
    /// `POST /v1/notifications`.
    case sealed(NotificationSubmission)
    /// `POST /v1/compat/sap`.
    case clear(SAPNotification)
    /// `POST /wp/{id}`; with the origin of its endpoints.
    case endpoint(NotificationSubmission, origin: String)

    /// - Parameter now: for dates in clear notifications.
    /// - Throws: `.plainText`, `.invalidFields`, `.payloadTooLarge`, and faults of the JSON.
    init(
        _ call: APICall,
        _ tenant: TenantConfiguration,
        now: Timestamp,
        random: inout some RandomSource
    ) throws(Problem) {
        let settings = call.settings
        guard call.route.operation == .postSAP else {
            self = .sealed(
                try NotificationSubmission(
                    call.request,
                    try call.json(allowsFractions: true),
                    app: { settings.app($0, of: tenant.id)?.webPushRoom },
                    recipientCountMax: min(settings.limits.recipientCountMax, OutboxRequest.entryCounts.upperBound),
                    allowsClearText: tenant.allowsClearText,
                    random: &random
                )
            )
            return
        }
        // Refused without parsing if not allowed.
        self = .clear(
            try SAPNotification(
                call.request,
                tenant.allowsClearText ? call.json(allowsFractions: true) : .object([]),
                allowsClearText: tenant.allowsClearText,
                isApp: { settings.app($0, of: tenant.id) != nil },
                now: Int64(clamping: now.milliseconds / 1_000)
            )
        )
    }

    /// - Throws: `.badRequest`.
    init(_ push: EndpointPush) throws(Problem) {
        let field: SealedField?
        do throws(SealedFieldError) { field = try push.field() } catch {
            throw Problem(.badRequest, "Send one whole record of RFC 8291 as the body, or one envelope.")
        }
        self = .endpoint(
            NotificationSubmission(push.request, to: push.target, field, push.trace, body: push.record),
            origin: push.origin
        )
    }

    /// Refusal in the caller's terms: a server knows its endpoint, not the device.
    func refusal(_ problem: Problem) -> Problem {
        if case .endpoint = self, problem.kind == .invalidFields { .gone } else { problem }
    }

    /// In the order of the recipients.
    var devices: [DeviceID] {
        switch self {
        case .sealed(let submission), .endpoint(let submission, _): submission.recipients.map(\.device)
        case .clear(let notification): notification.devices
        }
    }

    /// Already left out; none unless `isPartial`.
    var rejected: [RecipientRejection] {
        switch self {
        case .sealed(let submission), .endpoint(let submission, _): submission.rejected
        case .clear: []
        }
    }

    var isPartial: Bool {
        switch self {
        case .sealed(let submission), .endpoint(let submission, _): submission.isPartial
        case .clear: false
        }
    }

    var lane: Lane {
        switch self {
        case .sealed(let submission), .endpoint(let submission, _): submission.notificationClass.lane
        case .clear(let notification): notification.firstLane
        }
    }

    var warnings: [SAPNotification.Warning] {
        switch self {
        case .sealed, .endpoint: []
        case .clear(let notification): notification.warnings
        }
    }

    /// - Returns: nil for a request without a key.
    /// - Throws: `.invalidFields` for a key that the store cannot hold.
    func idempotency() throws(Problem) -> Idempotency? {
        switch self {
        case .sealed(let submission): try Self.idempotency(submission.idempotencyKey, submission.digest)
        case .endpoint: nil
        case .clear(let notification): try Self.idempotency(notification.idempotencyKey, notification.digest)
        }
    }

    /// - Parameter digest: computed for a key alone.
    private static func idempotency(
        _ key: String?,
        _ digest: @autoclosure () -> [UInt8]
    ) throws(Problem) -> Idempotency? {
        guard let key else { return nil }
        do throws(StoreError) {
            return try Idempotency(key: Array(key.utf8), digest: digest())
        } catch {
            throw Problem(error)
        }
    }
}
