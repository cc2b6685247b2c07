import APNS
import Envelope
import Primitives
import PushStore

/// What a submission becomes once its devices are known: entries for the outbox, or what stands in the way. A
/// computation on values: no clock, no disk.
struct NotificationDraft: Sendable {
    let topic: Topic
    /// In the order of the recipients.
    let entries: [NewEntry]

    /// - Parameters:
    ///   - submission: as it was read.
    ///   - lookups: of its devices, in the order of the recipients.
    ///   - tenant: whose.
    ///   - settings: with the tenant's apps.
    ///   - collapseKey: makes what Apple sees of the sender's word.
    ///   - now: the time.
    ///   - random: for apns-ids.
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
        topic = try DeviceHandler.topic(submission.bundleID)
        let pushTopic = try Self.suffixed(topic, kind.pushType)
        let times = Times(kind, expirySeconds: submission.expirySeconds, now: now)
        let faults = FieldFaults()
        var entries: [NewEntry] = []
        entries.reserveCapacity(submission.recipients.count)
        for (index, recipient) in submission.recipients.enumerated() {
            let place = FieldPath.element(.member(.root, "recipients"), index)
            let target: Recipient
            do throws(Recipient.Obstacle) {
                target = try Recipient(
                    lookups[index],
                    topic: topic,
                    pushType: kind.pushType,
                    tenant: tenant.id,
                    settings: settings
                )
            } catch {
                faults.add(.wrong, .member(place, "device"), at: 0, error.sentence)
                continue
            }
            Self.check(recipient, target, place, faults)
            guard faults.all.isEmpty else { continue }
            let id = APNSID.timeOrdered(now: now, random: &random)
            entries.append(
                NewEntry(
                    device: target.device,
                    topic: pushTopic,
                    apnsID: id,
                    collapseID: collapseKey.collapseID(
                        for: kind,
                        id: id,
                        tenant: tenant.id,
                        device: recipient.device,
                        word: submission.collapseWord
                    ),
                    lane: kind.lane.stored,
                    pushType: kind.pushType,
                    priority: kind.priority,
                    expiration: times.expiration,
                    deadline: times.deadline,
                    payload: SealedPayload.bytes(
                        recipient.field,
                        placeholder: target.app.app.placeholder,
                        trace: recipient.trace,
                        pushClass: kind.pushClass
                    ),
                    trace: recipient.trace,
                    receiptHash: recipient.receiptHash?.bytes,
                    fallbackAfter: Self.fallback(recipient, kind, target.app.app),
                    isReported: tenant.webhook != nil
                )
            )
        }
        guard faults.all.isEmpty else { throw Self.problem(faults.all) }
        self.entries = entries
    }

    /// How long Apple may keep it, and how long the service tries.
    private struct Times {
        let expiration: Expiration
        let deadline: Timestamp

        init(_ kind: NotificationClass, expirySeconds: Int64, now: Timestamp) {
            guard expirySeconds > 0 else {
                expiration = .oneAttempt
                deadline = now.advanced(by: .seconds(kind.lifetimeOfOneAttemptSeconds))
                return
            }
            // Both at the same second: what APNs may still keep is still tried.
            let seconds = now.milliseconds / 1_000 + UInt64(expirySeconds)
            expiration = Expiration(unixSeconds: seconds)
            deadline = Timestamp(milliseconds: seconds * 1_000)
        }
    }

    private static func suffixed(_ topic: Topic, _ pushType: PushType) throws(Problem) -> Topic {
        do throws(APNSError) {
            return try topic.appendingSuffix(of: pushType)
        } catch {
            throw Problem(.invalidFields, "The bundle id is too long for a topic of this push type.")
        }
    }

    /// What depends on the app that the device is registered for.
    private static func check(
        _ recipient: NotificationSubmission.Recipient,
        _ target: Recipient,
        _ place: FieldPath,
        _ faults: FieldFaults
    ) {
        if recipient.receiptHash != nil, !target.app.app.takesReceipts {
            let sentence =
                "receipts are off for this app; set its \"receipts\" to true in the configuration, or leave this out"
            faults.add(.wrong, .member(place, "receipt-hash"), at: 0, sentence)
        }
        // The other environment's placeholder may be longer than the one that the body was read with.
        let (count, room) = (recipient.field.text.count, target.app.webPushRoom)
        if recipient.field.format == .webPush, count > room {
            let kind = FieldFault.Kind.tooLarge(byteCount: count, byteCountMax: room)
            faults.add(kind, .member(place, "webpush"), at: 0, "\(count) bytes, and there is room for \(room)")
        }
    }

    /// Without a capability there is no receipt to wait for, and a fallback would fire each time.
    private static func fallback(
        _ recipient: NotificationSubmission.Recipient,
        _ kind: NotificationClass,
        _ app: AppConfiguration
    ) -> Duration? {
        guard kind.hasFallback, recipient.receiptHash != nil else { return nil }
        return app.fallback.map { .seconds($0.afterSeconds) }
    }

    static func problem(_ faults: [FieldFault]) -> Problem {
        var problem = Problem(faults)
        guard problem.kind == .invalidFields else { return problem }
        let fields = problem.fields
        problem = Problem(
            .invalidFields,
            "Nothing was stored, for no recipient. Mend or leave out each one that is named here"
                + (fields.count == FieldFaults.countMax ? ", the first \(fields.count)," : "")
                + " and send the request again."
        )
        problem.fields = fields
        return problem
    }
}
