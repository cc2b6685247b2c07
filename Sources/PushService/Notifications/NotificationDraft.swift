import APNS
import Envelope
import Primitives
import PushStore

/// The entries of a submission whose devices are known. A computation on values: no clock, no disk.
struct NotificationDraft: Sendable {
    struct Common {
        /// The app's, without a suffix.
        let app: Topic
        /// Topic with the push type's suffix.
        let topic: Topic
        let pushType: PushType
        let lane: Lane
        let priority: Priority?
        let expiration: Expiration?
        let deadline: Timestamp
        /// Bound on attempts; nil: only the deadline ends it.
        var attemptLimit: Int?
        /// Class that collapse ids are made by; nil for none.
        let collapses: NotificationClass?
        var collapseWord: String?
    }

    struct Own {
        let payload: [UInt8]
        let trace: Trace
        var receiptHash: [UInt8]?
        var fallbackAfter: Duration?
    }

    /// The app's, without a suffix.
    let topic: Topic
    let entries: [NewEntry]

    /// - Throws: `.invalidFields` with every recipient that cannot be sent to, `.payloadTooLarge` with the room.
    init(
        _ body: SubmissionBody,
        lookups: [DeviceLookup],
        tenant: TenantConfiguration,
        settings: ServiceSettings,
        collapseKey: borrowing CollapseKey,
        now: Timestamp,
        random: inout some RandomSource
    ) throws(Problem) {
        switch body {
        case .sealed(let submission):
            try self.init(
                submission,
                lookups: lookups,
                tenant: tenant,
                settings: settings,
                collapseKey: collapseKey,
                now: now,
                random: &random
            )
        case .clear(let notification):
            try self.init(
                notification,
                lookups: lookups,
                tenant: tenant,
                settings: settings,
                collapseKey: collapseKey,
                now: now,
                random: &random
            )
        }
    }

    /// - Parameters:
    ///   - place: path of a recipient's device in the body.
    ///   - own: a recipient's properties; nil with a fault that it has added.
    init<Random: RandomSource>(
        _ common: Common,
        _ lookups: [DeviceLookup],
        tenant: TenantConfiguration,
        settings: ServiceSettings,
        collapseKey: borrowing CollapseKey,
        now: Timestamp,
        random: inout Random,
        place: (Int) -> FieldPath,
        own: (Int, Recipient, FieldErrors, inout Random) -> Own?
    ) throws(Problem) {
        topic = common.app
        let faults = FieldErrors()
        var entries: [NewEntry] = []
        entries.reserveCapacity(lookups.count)
        for index in lookups.indices {
            let target: Recipient
            do throws(Recipient.Failure) {
                target = try Recipient(
                    lookups[index],
                    topic: common.app,
                    pushType: common.pushType,
                    tenant: tenant.id,
                    settings: settings
                )
            } catch {
                faults.add(.wrong, place(index), at: 0, error.sentence)
                continue
            }
            guard let own = own(index, target, faults, &random), faults.all.isEmpty else { continue }
            let id = APNSID.timeOrdered(now: now, random: &random)
            var collapseID: CollapseID?
            if let kind = common.collapses {
                collapseID = collapseKey.collapseID(
                    for: kind,
                    id: id,
                    tenant: tenant.id,
                    device: target.device,
                    word: common.collapseWord
                )
            }
            entries.append(
                NewEntry(
                    device: target.device,
                    topic: common.topic,
                    apnsID: id,
                    collapseID: collapseID,
                    lane: common.lane,
                    pushType: common.pushType,
                    priority: common.priority,
                    expiration: common.expiration,
                    deadline: common.deadline,
                    attemptLimit: common.attemptLimit,
                    payload: own.payload,
                    trace: own.trace,
                    receiptHash: own.receiptHash,
                    fallbackAfter: own.fallbackAfter,
                    isReported: tenant.webhook != nil
                )
            )
        }
        guard faults.all.isEmpty else { throw Self.problem(faults.all) }
        self.entries = entries
    }

    private static func problem(_ faults: [FieldError]) -> Problem {
        var problem = Problem(faults)
        guard problem.kind == .invalidFields else { return problem }
        let fields = problem.fields
        problem = Problem(
            .invalidFields,
            "Nothing was stored for any recipient. Correct or leave out each one listed here"
                + (fields.count == FieldErrors.countMax ? ", the first \(fields.count)," : "")
                + " and send the request again."
        )
        problem.fields = fields
        return problem
    }
}
