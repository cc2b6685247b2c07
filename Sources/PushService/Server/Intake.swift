import APNS
import Envelope
import PushStore
import Transport

/// From a draft to what is on the disk: quota, dispatcher, store, and the answer.
struct Intake: Sendable {
    let context: ServiceContext
    let door: any DispatchDoor
    let quota: QuotaBook
    /// One for all routes.
    let storing: LoopBound<StoringPath>

    init(context: ServiceContext, door: any DispatchDoor, quota: QuotaBook) {
        self.context = context
        self.door = door
        self.quota = quota
        storing = LoopBound(StoringPath(context, door), to: context.loop)
    }

    /// One notification that was accepted, as its sender is told.
    struct Accepted: Equatable, Sendable {
        let device: DeviceID
        let id: APNSID
        let trace: Trace?

        init(_ entry: NewEntry) {
            device = entry.device
            id = entry.apnsID
            trace = entry.trace
        }

        init(_ entry: OutboxEntry) {
            device = entry.device
            id = entry.apnsID
            trace = entry.trace
        }

        func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.member("device", writing: { $0 += device.bytes })
                writer.member("id", writing: { id.appendText(to: &$0) })
                if let trace { writer.member("trace", trace.text) }
            }
        }
    }

    /// For requests that go on in a task; small ones have `SubmissionPath`.
    ///
    /// - Parameters:
    ///   - draft: one or more notifications, all of one lane.
    ///   - lookups: of its devices, in their order.
    ///   - idempotency: by which a repetition is known; nil for a request that may be stored twice.
    ///   - tenant: whose.
    ///   - call: the request.
    /// - Returns: one for each entry, in their order; the same for a repetition.
    /// - Throws: `.quotaExceeded`, `.idempotencyConflict`, and what the store did not do. Nothing is stored then.
    func accept(
        _ draft: NotificationDraft,
        _ lookups: [DeviceLookup],
        idempotency: Idempotency?,
        tenant: TenantConfiguration,
        _ call: APICall
    ) async throws(Problem) -> [Accepted] {
        let now = context.clock.now()
        let storeID = try tenant.storeID()
        if let problem = takeQuota(draft.entries.count, tenant, now: now) {
            if let known = try await known(idempotency, tenant) { return known }
            throw problem
        }
        let offer = Self.offer(draft, lookups, tenant: storeID, now: now)
        let end = await withCheckedContinuation { (continuation: CheckedContinuation<StoringRun.End, Never>) in
            storing.value.begin(
                StoringRun(offer, idempotency: idempotency, begun: call.begun) { continuation.resume(returning: $0) }
            )
        }
        switch end {
        case .stored: return draft.entries.map(Accepted.init)
        case .repeated(let result):
            quota.giveBack(draft.entries.count, of: tenant)
            return try await repeated(result, tenant)
        case .refused(let problem):
            quota.giveBack(draft.entries.count, of: tenant)
            if let known = try await known(idempotency, tenant) { return known }
            throw problem
        case .failed(let error):
            quota.giveBack(draft.entries.count, of: tenant)
            throw context.problem(error)
        }
    }

    static func offer(
        _ draft: NotificationDraft,
        _ lookups: [DeviceLookup],
        tenant: TenantID,
        now: Timestamp
    ) -> SendOffer {
        // A draft has entries only when every device was found.
        let devices = lookups.compactMap { if case .found(let device) = $0 { device } else { nil } }
        return SendOffer(
            tenant: tenant,
            entries: draft.entries,
            devices: devices,
            bundleID: draft.topic.description,
            now: now
        )
    }

    /// - Returns: nil: it was taken.
    func takeQuota(_ count: Int, _ tenant: TenantConfiguration, now: Timestamp) -> Problem? {
        guard let seconds = quota.take(count, of: tenant, now: now) else { return nil }
        var problem = Problem(
            .quotaExceeded,
            "The tenant may have \(tenant.quotaPerDay) notifications accepted in a day of UTC. Wait as long as"
                + " 'Retry-After' says, or have 'quota-per-day' raised."
        )
        problem.retryAfterSeconds = seconds
        return problem
    }

    /// The answer to a request that was accepted before, whatever has become of its devices and of the quota since.
    ///
    /// - Parameters:
    ///   - idempotency: the request's.
    ///   - tenant: whose.
    /// - Returns: nil for a new one.
    /// - Throws: `.idempotencyConflict`.
    func known(_ idempotency: Idempotency?, _ tenant: TenantConfiguration) async throws(Problem) -> [Accepted]? {
        guard let idempotency else { return nil }
        let storeID = try tenant.storeID()
        let result = try await context.asking { () throws(StoreError) in
            try await context.store.known(idempotency, tenant: storeID)
        }
        guard let result else { return nil }
        return try await repeated(result, tenant)
    }

    /// What has been purged is left out: nobody can say any more where it went.
    func repeated(
        _ result: EnqueueResult,
        _ tenant: TenantConfiguration
    ) async throws(Problem) -> [Accepted] {
        guard case .duplicate(let ids) = result else {
            throw Problem(.idempotencyConflict, "Use another key for another request; this one came with another body.")
        }
        let storeID = try tenant.storeID()
        let entries = try await context.asking { () throws(StoreError) in
            try await context.store.entries(ids, tenant: storeID)
        }
        return entries.compactMap { $0.map(Accepted.init) }
    }
}
