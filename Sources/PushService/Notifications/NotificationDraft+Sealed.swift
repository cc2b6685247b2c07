import APNS
import APNSProvider
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
            purpose: { recipients[$0].purpose },
            own: { index, target, faults, _ in
                let recipient = recipients[index]
                Self.check(recipient, target, kind, Self.path(recipient), faults)
                guard faults.all.isEmpty, let payload = Self.payload(recipient, submission, target, faults) else {
                    return nil
                }
                return Own(
                    payload: payload,
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
        _ kind: NotificationClass,
        _ place: FieldPath,
        _ faults: FieldErrors
    ) {
        if kind.pushType.needsTokenAuthentication, case .certificate = target.app.app.credential {
            let rule = PushNotificationError.needsProviderToken(kind.pushType)
            faults.add(.wrong, .member(place, "device"), at: 0, "Apple's rule: \(rule)")
        }
        if recipient.receiptHash != nil, !target.app.app.takesReceipts {
            let sentence =
                "receipts are off for this app; set its \"receipts\" to true in the configuration, or leave this out"
            faults.add(.wrong, .member(place, "receipt-hash"), at: 0, sentence)
        }
        // The body's check took the other environment's placeholder, perhaps shorter.
        let endpoint = recipient.field?.endpoint == nil ? 0 : SealedPayload.endpointByteCount
        let (count, room) = (recipient.field?.text.count ?? 0, target.app.webPushRoom - endpoint)
        if recipient.field?.format != .sealed, count > room {
            let kind = FieldError.Kind.tooLarge(byteCount: count, byteCountMax: room)
            faults.add(kind, .member(place, "webpush"), at: 0, "\(count) bytes, and the limit is \(room)")
        }
    }

    private static func payload(
        _ recipient: NotificationSubmission.Recipient,
        _ submission: NotificationSubmission,
        _ target: Recipient,
        _ faults: FieldErrors
    ) -> [UInt8]? {
        let place = FieldPath.member(.root, "aps")
        do throws(PayloadError) {
            return try submission.payload(for: recipient, placeholder: target.app.app.placeholder)
        } catch .tooLarge(let byteCount, let byteCountMax) {
            let kind = FieldError.Kind.tooLarge(byteCount: byteCount, byteCountMax: byteCountMax)
            let rule = PayloadError.tooLarge(byteCount: byteCount, byteCountMax: byteCountMax)
            faults.add(kind, place, at: 0, "Apple's rule: \(rule)")
        } catch {
            faults.add(.wrong, place, at: 0, "Apple's rule: \(error)")
        }
        return nil
    }

    /// Delay of a fallback; nil without a capability: no receipt could stop it.
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
