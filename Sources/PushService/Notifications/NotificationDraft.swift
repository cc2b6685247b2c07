import APNS
import Envelope
import Primitives
import PushStore
import ServiceParts

/// Entries of a submission with known devices. Computes on values: no clock, no disk.
struct NotificationDraft: Sendable {
    struct Common {
        /// Without a suffix.
        let app: Topic
        /// With the push type's.
        let topic: Topic
        let pushType: PushType
        let lane: Lane
        let priority: Priority?
        let expiration: Expiration?
        let deadline: Timestamp
        /// Bound on attempts; nil: only the deadline ends it.
        var attemptLimit: Int?
        /// Class of its collapse ids; nil for none.
        let collapses: NotificationClass?
        var collapseWord: String?
    }

    struct Own {
        let payload: [UInt8]
        let trace: Trace
        var receiptHash: [UInt8]?
        var fallbackAfter: Duration?
    }

    /// Without a suffix.
    let topic: Topic
    /// In the order of the recipients.
    private(set) var entries: [NewEntry]
    /// In the order of `entries`.
    private(set) var devices: [Device]
    /// Recipients' places in the body, in the order of `entries`.
    private(set) var indexes: [Int]
    /// Left out, in the request's order.
    private(set) var rejected: [RecipientRejection]

    /// - Throws: `.invalidFields` with every recipient that cannot be sent to, `.payloadTooLarge` with the room; for a
    ///   partial submission only if none is left.
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
        case .sealed(let submission), .endpoint(let submission, _):
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
    ///   - rejected: recipients already left out; nil to refuse all for one's fault.
    ///   - place: recipient's index in the body, device id, and path of that.
    ///   - purpose: nil for the app's own token, or PushKit's.
    ///   - own: recipient's properties; nil with a fault that it added.
    init<Random: RandomSource>(
        _ common: Common,
        _ lookups: [DeviceLookup],
        leavingOut rejected: [RecipientRejection]?,
        tenant: TenantConfiguration,
        settings: ServiceSettings,
        collapseKey: borrowing CollapseKey,
        now: Timestamp,
        random: inout Random,
        place: (Int) -> (index: Int, device: DeviceID, path: FieldPath),
        purpose: (Int) -> TokenPurpose? = { _ in nil },
        own: (Int, Recipient, FieldErrors, inout Random) -> Own?
    ) throws(Problem) {
        topic = common.app
        entries = []
        devices = []
        indexes = []
        self.rejected = rejected ?? []
        entries.reserveCapacity(lookups.count)
        devices.reserveCapacity(lookups.count)
        let isPartial = rejected != nil
        var faults = FieldErrors()
        for index in lookups.indices {
            if isPartial { faults = RecipientRejection.makeFaults() }
            defer {
                if isPartial, !faults.all.isEmpty {
                    let place = place(index)
                    self.rejected.append(RecipientRejection(place.index, place.device, faults))
                }
            }
            let target: Recipient
            do throws(Recipient.Failure) {
                target = try Recipient(
                    lookups[index],
                    topic: common.app,
                    pushType: common.pushType,
                    purpose: purpose(index),
                    tenant: tenant.id,
                    settings: settings
                )
            } catch {
                faults.add(.wrong, place(index).path, at: 0, error.sentence)
                continue
            }
            guard let own = own(index, target, faults, &random), faults.all.isEmpty else { continue }
            indexes.append(place(index).index)
            devices.append(target.device)
            let id = APNSID.timeOrdered(now: now, random: &random)
            var collapseID: CollapseID?
            if let kind = common.collapses {
                collapseID = collapseKey.collapseID(
                    for: kind,
                    id: id,
                    tenant: tenant.id,
                    device: target.device.key.device,
                    word: common.collapseWord
                )
            }
            entries.append(
                NewEntry(
                    device: target.device.key.device,
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
                    isReported: tenant.webhook != nil,
                    purpose: purpose(index)
                )
            )
        }
        guard isPartial || faults.all.isEmpty else { throw Problem(ofRecipients: Problem(faults.all)) }
        guard !entries.isEmpty else { throw Problem(ofAll: self.rejected) }
        self.rejected.sort { $0.index < $1.index }
    }

    /// Puts all entries into the caller's trace.
    mutating func join(_ traceContext: TraceContext) {
        for index in entries.indices { entries[index].traceContext = traceContext }
    }

    /// Leaves out all but the first `count`, one or more.
    mutating func keep(first count: Int, leavingOutFor problem: Problem) {
        for place in entries.indices[count...] {
            let device = entries[place].device
            rejected.append(RecipientRejection(index: indexes[place], device: device, problem: problem))
        }
        entries.removeSubrange(count...)
        devices.removeSubrange(count...)
        indexes.removeSubrange(count...)
        rejected.sort { $0.index < $1.index }
    }
}
