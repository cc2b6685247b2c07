import APNS
import Envelope
import Primitives
import PushStore
import ServiceParts

extension NotificationDraft {
    /// - Throws: `.invalidFields` with every recipient that cannot be sent to, `.payloadTooLarge` with the room.
    init(
        _ submission: NotificationSubmission,
        lookups: [DeviceLookup],
        tenant: TenantConfiguration,
        settings: ServiceSettings,
        collapseKey: borrowing CollapseKey,
        now: Timestamp,
        random: inout some RandomSource
    ) throws(Problem) {
        let kind = submission.notificationClass
        let recipients = submission.recipients
        try self.init(
            try Common(submission, now: now),
            lookups,
            leavingOut: submission.isPartial ? submission.rejected : nil,
            tenant: tenant,
            settings: settings,
            collapseKey: collapseKey,
            now: now,
            random: &random,
            place: { index in
                let recipient = recipients[index]
                return (recipient.index, recipient.device, .member(Self.path(recipient), "device"))
            },
            own: { index, target, faults, _ in
                let recipient = recipients[index]
                Self.check(recipient, target, Self.path(recipient), faults)
                guard faults.all.isEmpty else { return nil }
                return Own(
                    payload: SealedPayload.bytes(
                        recipient.field,
                        placeholder: target.app.app.placeholder,
                        trace: recipient.trace,
                        pushType: kind.pushType
                    ),
                    trace: recipient.trace,
                    receiptHash: recipient.receiptHash?.bytes,
                    fallbackAfter: Self.fallback(recipient, kind, target.app.app)
                )
            }
        )
    }

    private static func path(_ recipient: NotificationSubmission.Recipient) -> FieldPath {
        .element(.member(.root, "recipients"), recipient.index)
    }

    private static func check(
        _ recipient: NotificationSubmission.Recipient,
        _ target: Recipient,
        _ place: FieldPath,
        _ faults: FieldErrors
    ) {
        if recipient.receiptHash != nil, !target.app.app.takesReceipts {
            let sentence =
                "receipts are off for this app; set its \"receipts\" to true in the configuration, or leave this out"
            faults.add(.wrong, .member(place, "receipt-hash"), at: 0, sentence)
        }
        // The body was checked with the other environment's placeholder, which may be shorter.
        let (count, room) = (recipient.field?.text.count ?? 0, target.app.webPushRoom)
        if recipient.field?.format == .webPush, count > room {
            let kind = FieldError.Kind.tooLarge(byteCount: count, byteCountMax: room)
            faults.add(kind, .member(place, "webpush"), at: 0, "\(count) bytes, and the limit is \(room)")
        }
    }

    /// Delay of a fallback; nil without a capability, since no receipt could stop it.
    private static func fallback(
        _ recipient: NotificationSubmission.Recipient,
        _ kind: NotificationClass,
        _ app: AppConfiguration
    ) -> Duration? {
        guard kind.hasFallback, recipient.receiptHash != nil else { return nil }
        return app.fallback.map { .seconds($0.afterSeconds) }
    }
}

extension NotificationDraft.Common {
    fileprivate init(_ submission: NotificationSubmission, now: Timestamp) throws(Problem) {
        let kind = submission.notificationClass
        app = try DeviceHandler.topic(submission.bundleID)
        do throws(APNSError) {
            topic = try app.appendingSuffix(of: kind.pushType)
        } catch {
            throw Problem(.invalidFields, "The bundle id is too long for a topic of this push type.")
        }
        pushType = kind.pushType
        lane = kind.lane
        priority = submission.priority
        collapses = kind
        collapseWord = submission.collapseWord
        guard submission.expirySeconds > 0 else {
            expiration = .oneAttempt
            deadline = now.advanced(by: .seconds(kind.lifetimeOfOneAttemptSeconds))
            return
        }
        // To the same second: the relay retries as long as APNs may keep the push.
        let seconds = now.milliseconds / 1_000 + UInt64(submission.expirySeconds)
        expiration = Expiration(unixSeconds: seconds)
        deadline = Timestamp(milliseconds: seconds * 1_000)
    }
}
