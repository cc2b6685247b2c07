import APNS
import Envelope
import PushStore
import Synchronization

/// From entries to what is on the disk: quota, store, metrics, dispatcher.
struct Intake: Sendable {
    let context: ServiceContext
    let door: any DispatchDoor
    let quota: QuotaBook

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
                writer.member("device", String(decoding: device.bytes, as: UTF8.self))
                writer.member("id", id.description)
                if let trace { writer.member("trace", trace.text) }
            }
        }
    }

    /// - Parameters:
    ///   - entries: one or more, all of one lane.
    ///   - topic: the app's, without a suffix.
    ///   - idempotency: by which a repetition is known; nil for a request that may be stored twice.
    ///   - tenant: whose.
    ///   - call: the request.
    /// - Returns: one for each entry, in their order; the same for a repetition.
    /// - Throws: `.quotaExceeded`, `.idempotencyConflict`, and what the store did not do. Nothing is stored then.
    func accept(
        _ entries: [NewEntry],
        topic: Topic,
        idempotency: Idempotency?,
        tenant: TenantConfiguration,
        _ call: APICall
    ) async throws(Problem) -> [Accepted] {
        let now = context.clock.now()
        if let problem = takeQuota(entries.count, tenant, now: now) {
            if let known = try await known(idempotency, tenant) { return known }
            throw problem
        }
        let result: EnqueueResult
        do throws(Problem) {
            let storeID = try tenant.storeID()
            door.willQueue(entries, tenant: storeID, now: now)
            let results = try await context.asking { () throws(StoreError) in
                let request = try OutboxRequest(tenant: storeID, idempotency: idempotency, entries: entries)
                return try await context.store.enqueue([request], now: now)
            }
            result = results.first ?? .conflict
        } catch {
            quota.giveBack(entries.count, of: tenant)
            throw error
        }
        guard case .stored = result else {
            quota.giveBack(entries.count, of: tenant)
            return try await repeated(result, tenant)
        }
        didStore(entries, topic, call)
        if let first = entries.first { door.ring([first.lane]) }
        return entries.map(Accepted.init)
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

    /// Counts what is on the disk.
    func didStore(_ entries: [NewEntry], _ topic: Topic, _ call: APICall) {
        guard let first = entries.first else { return }
        let microseconds = (context.clock.uptime() - call.begun) / 1_000
        let app = topic.description
        context.metrics.withLock { metrics in
            metrics.didAccept(
                entries.count,
                app: app,
                lane: DispatchLane(first.lane),
                microseconds: microseconds
            )
            for entry in entries where entry.receiptHash != nil { metrics.didAwaitReceipt() }
        }
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
