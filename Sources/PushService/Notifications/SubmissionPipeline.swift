import APNS
import Envelope
import HTTP
import Networking
import Platform
import Primitives
import PushStore
import ServiceParts

/// Steps of every submission. On the loop.
///
///     read → check the queue → look up the devices → draft → take the quota → reserve or queue → store → answer
///
/// A turn's submissions share a look-up and a call of the store, in order of arrival, which each device's keep. Large
/// bodies are handled beside the loop, repetitions read in a task.
final class SubmissionPipeline {
    /// Bounds others' wait; one request may have more.
    static let storedCountMax = 512

    private let context: ServiceContext
    private let dispatch: any DispatchInterface
    private let quota: QuotaTable
    private lazy var lookups = CallBatch<Submission>(
        context.loop,
        call: { [context] in Self.lookUp($0, context, $1) },
        deliver: { [weak self] in self?.didLookUp($0, $1) }
    )
    private lazy var storing = CallBatch<Submission>(
        context.loop,
        weightMax: Self.storedCountMax,
        weight: { $0.entries.count },
        call: { [context] in StoringCall($0, context, $1).begin() },
        deliver: { [weak self] in self?.didStore($0, $1) }
    )
    /// Entries on their way into each queue.
    private var coming = Lane.allCases.map { _ in SharedSlots<TenantID>() }
    private var random = RandomReserve()

    init(_ context: ServiceContext, _ dispatch: any DispatchInterface, _ quota: QuotaTable) {
        self.context = context
        self.dispatch = dispatch
        self.quota = quota
    }

    func begin(_ call: APICall, respond: @escaping (HTTPAnswer) -> Void) {
        do throws(Problem) {
            let tenant = try call.tenant()
            let now = context.clock.now()
            read(call, tenant, now: now) { [self] body in
                do throws(Problem) {
                    didRead(try Submission(call, tenant, try body.get(), respond))
                } catch {
                    refuseUnread(call, tenant, error, respond)
                }
            }
        } catch {
            respond(context.refuse(error))
        }
    }

    /// Begins a server's push to an endpoint, whose device has been looked up with it.
    ///
    /// - Throws: `.badRequest`.
    func begin(
        _ call: APICall,
        _ tenant: TenantConfiguration,
        _ push: EndpointPush,
        respond: @escaping (HTTPAnswer) -> Void
    ) throws(Problem) {
        let submission = try Submission(call, tenant, try SubmissionBody(push), respond)
        submission.lookups = [push.target.lookup]
        do throws(Problem) {
            try Admission.checkQueue(1, in: submission.body.lane, of: tenant.id, context)
        } catch {
            return refuse(submission, error)
        }
        didLookUp(submission, nil)
    }

    private func read(
        _ call: APICall,
        _ tenant: TenantConfiguration,
        now: Timestamp,
        then proceed: @escaping (Result<SubmissionBody, Problem>) -> Void
    ) {
        compute(
            call,
            { random throws(Problem) in try SubmissionBody(call, tenant, now: now, random: &random) },
            then: proceed
        )
    }

    private func didRead(_ submission: Submission) {
        do throws(Problem) {
            // Cheaper than the look-up.
            try Admission.checkQueue(submission.keys.count, in: submission.body.lane, of: submission.tenant.id, context)
            lookups.add(submission)
        } catch {
            refuse(submission, error)
        }
    }

    /// As of 1970: the date may have passed since the request first came.
    private func refuseUnread(
        _ call: APICall,
        _ tenant: TenantConfiguration,
        _ error: Problem,
        _ respond: @escaping (HTTPAnswer) -> Void
    ) {
        guard call.route.operation == .postSAP, error.kind == .invalidFields else {
            return respond(context.refuse(error))
        }
        read(call, tenant, now: Timestamp(milliseconds: 0)) { [self] body in
            guard let body = try? body.get(), let submission = try? Submission(call, tenant, body, respond) else {
                return respond(context.refuse(error))
            }
            refuse(submission, error)
        }
    }

    // MARK: Devices

    private static func lookUp(
        _ submissions: [Submission],
        _ context: ServiceContext,
        _ completion: @escaping ([StoreError?]) -> Void
    ) {
        let box = LoopBound((submissions: submissions, completion: completion), to: context.loop)
        context.store.devices(submissions.flatMap(\.keys)) { result in
            box.loop.perform {
                let (submissions, completion) = box.value
                switch result {
                case .success(let lookups):
                    var start = 0
                    for submission in submissions {
                        let end = min(start + submission.keys.count, lookups.count)
                        submission.lookups = Array(lookups[start..<end])
                        start = end
                    }
                    completion(submissions.map { $0.lookups.count == $0.keys.count ? nil : .damaged })
                case .failure(let error): completion(submissions.map { _ in error })
                }
            }
        }
    }

    private func didLookUp(_ submission: Submission, _ error: StoreError?) {
        if let error { return refuse(submission, context.problem(error)) }
        let (body, lookups, tenant) = (submission.body, submission.lookups, submission.tenant)
        let (settings, now) = (submission.call.settings, context.clock.now())
        let traceContext = submission.traceContext
        compute(submission.call) { [context] (random) throws(Problem) -> NotificationDraft in
            var draft = try NotificationDraft(
                body,
                lookups: lookups,
                tenant: tenant,
                settings: settings,
                collapseKey: context.collapseKey,
                now: now,
                random: &random
            )
            if let traceContext { draft.join(traceContext) }
            return draft
        } then: { [self] draft in
            didDraft(submission, draft, now: now)
        }
    }

    // MARK: Storing

    private func didDraft(_ submission: Submission, _ draft: Result<NotificationDraft, Problem>, now: Timestamp) {
        do throws(Problem) {
            var draft = try draft.get()
            if submission.body.isPartial { leaveOut(beyondQuotaOf: submission.tenant, &draft, now: now) }
            try takeQuota(draft.entries.count, submission.tenant, now: now)
            submission.rejected = RecipientRejection.json(draft.rejected)
            if submission.body.isPartial { submission.places = draft.indexes }
            let offer = SendOffer(draft, tenant: submission.tenant.id, now: now)
            submission.offer = offer
            submission.reservation = dispatch.reserve(offer)
            if submission.reservation == nil { try takeQueueRoom(submission, offer) }
            // Servers' pushes join a tenant's commit: it would wait for one of theirs.
            storing.add(submission, patience: submission.call.webPush == nil ? .zero : .milliseconds(5))
        } catch {
            refuse(submission, error)
        }
    }

    private func takeQuota(_ count: Int, _ tenant: TenantConfiguration, now: Timestamp) throws(Problem) {
        guard let seconds = quota.take(count, of: tenant, now: now) else { return }
        var problem = Self.quotaExceeded(tenant)
        problem.retryAfterSeconds = seconds
        throw problem
    }

    /// Leaves out recipients beyond the quota; none if it has no room at all, so that the request is refused.
    private func leaveOut(
        beyondQuotaOf tenant: TenantConfiguration,
        _ draft: inout NotificationDraft,
        now: Timestamp
    ) {
        let count = quota.room(of: tenant, now: now)
        if count > 0, count < draft.entries.count {
            draft.keep(first: count, leavingOutFor: Self.quotaExceeded(tenant))
        }
    }

    private static func quotaExceeded(_ tenant: TenantConfiguration) -> Problem {
        Problem(
            .quotaExceeded,
            "The tenant may have \(tenant.quotaPerDay) notifications accepted in a day (UTC). Wait for the time in"
                + " 'Retry-After', or have 'quota-per-day' raised."
        )
    }

    private func takeQueueRoom(_ submission: Submission, _ offer: SendOffer) throws(Problem) {
        let (count, lane) = (offer.entries.count, offer.lane)
        do throws(Problem) {
            try Admission.checkQueue(count, in: lane, of: offer.tenant, beside: coming[lane.index], context)
        } catch {
            didNotStore(submission, offer)
            throw error
        }
        coming[lane.index].take(count, for: offer.tenant)
    }

    private func didStore(_ submission: Submission, _ error: StoreError?) {
        guard let offer = submission.offer else { return }
        if submission.reservation == nil {
            coming[offer.lane.index].giveBack(offer.entries.count, of: offer.tenant)
        }
        switch submission.result {
        case .sending(let leases) where error == nil:
            if let reservation = submission.reservation { dispatch.didStore(reservation, leases) }
        case .enqueued(.stored) where error == nil:
            // Its shard was lost after the reservation.
            if let reservation = submission.reservation { dispatch.didNotStore(reservation) }
            dispatch.wake([offer.lane])
        case .enqueued(.completed(let ids, let new)) where error == nil:
            didStore(new, of: submission, offer)
            return inTask(submission) { pipeline, submission throws(Problem) in
                try await pipeline.repeated(.duplicate(ids), submission)
            }
        case .enqueued(.cut(let ids, let new, let cause)) where error == nil:
            didStore(new, of: submission, offer)
            let problem = context.problem(cause ?? .uncertain)
            return inTask(submission) { pipeline, submission throws(Problem) in
                throw try await pipeline.cut(problem, ids, submission)
            }
        case .enqueued(let result) where error == nil:
            didNotStore(submission, offer)
            return inTask(submission) { pipeline, submission throws(Problem) in
                try await pipeline.repeated(result, submission)
            }
        default:
            didNotStore(submission, offer)
            return submission.end(context.refuse(context.problem(error ?? .damaged)))
        }
        count(offer.entries.indices, offer, submission)
        submission.accept(offer.entries.map(AcceptedNotification.init), rejected: submission.rejected)
    }

    private func didNotStore(_ submission: Submission, _ offer: SendOffer) {
        quota.giveBack(offer.entries.count, of: submission.tenant)
        if let reservation = submission.reservation {
            dispatch.didNotStore(reservation)
        } else {
            dispatch.didNotQueue(offer.entries.map { QueueNote($0) })
        }
    }

    /// Takes back what was held for the entries that were not stored now.
    private func didStore(_ new: [Int], of submission: Submission, _ offer: SendOffer) {
        quota.giveBack(offer.entries.count - new.count, of: submission.tenant)
        if let reservation = submission.reservation {
            dispatch.didNotStore(reservation)
        } else {
            let others = Set(offer.entries.indices).subtracting(new)
            dispatch.didNotQueue(others.map { QueueNote(offer.entries[$0]) })
        }
        guard !new.isEmpty else { return }
        dispatch.wake([offer.lane])
        count(new, offer, submission)
    }

    /// - Parameter stored: indices of the offer's entries.
    private func count(_ stored: some Collection<Int>, _ offer: SendOffer, _ submission: Submission) {
        let nanoseconds = context.clock.uptime() - submission.call.begun
        let microseconds = nanoseconds / 1_000
        context.record(submission.traceContext) { parent in
            let route = submission.call.route
            return TraceSpan(
                "submission",
                .server,
                in: parent,
                end: context.clock.wall(),
                nanoseconds: nanoseconds,
                [
                    ("http.request.method", .text(route.method)), ("http.route", .text(route.pattern)),
                    ("http.response.status_code", .number(202)), ("sealedpush.tenant", .text(offer.tenant.text)),
                    ("sealedpush.notifications", .number(stored.count)),
                ]
            )
        }
        let rejectedCount = submission.keys.count + submission.body.rejected.count - offer.entries.count
        context.metrics.withLock { metrics in
            metrics.didAccept(
                stored.count,
                app: offer.bundleID.text,
                tenant: offer.tenant,
                lane: offer.lane,
                microseconds: microseconds
            )
            // By index: a copy of an entry is large.
            metrics.didReject(rejectedCount)
            for index in stored where offer.entries[index].receiptHash != nil {
                metrics.didAwaitReceipt()
            }
        }
    }

    // MARK: Refusals and repetitions

    /// Answer to the first of two same requests.
    private typealias Earlier = (notifications: [AcceptedNotification], rejected: [UInt8])

    /// Answers with the refusal, unless accepted before: device or quota may be gone since.
    private func refuse(_ submission: Submission, _ problem: Problem) {
        let error = submission.body.refusal(problem)
        guard error.kind.status < 500, let idempotency = submission.idempotency else {
            return submission.end(context.refuse(error))
        }
        inTask(submission) { pipeline, submission throws(Problem) in
            let (context, tenant) = (pipeline.context, submission.tenant.id)
            let known = try await context.asking { () throws(StoreError) in
                try await context.store.known(idempotency, tenant: tenant)
            }
            guard let known else { throw error }
            if case .cut(let ids, _, _) = known { throw try await pipeline.cut(error, ids, submission) }
            return try await pipeline.repeated(known, submission)
        }
    }

    /// - Returns: first request's notifications, without purged ones, and its left-out recipients.
    /// - Throws: `.idempotencyConflict`, or the store's problem.
    private func repeated(_ result: EnqueueResult, _ submission: Submission) async throws(Problem) -> Earlier {
        guard case .duplicate(let ids) = result else {
            throw Problem(.idempotencyConflict, "Use a new key for a new request; this one came with another body.")
        }
        let (tenant, idempotency) = (submission.tenant.id, submission.body.isPartial ? submission.idempotency : nil)
        let found = try await context.asking { [context] () throws(StoreError) -> ([OutboxEntry?], [UInt8]) in
            let entries = try await context.store.entries(ids, tenant: tenant)
            guard let idempotency else { return (entries, []) }
            return (entries, try await context.store.rejected(idempotency, tenant: tenant))
        }
        return (found.0.compactMap { $0.map(AcceptedNotification.init) }, found.1)
    }

    /// - Returns: problem of a request that is stored in part, with its stored notifications.
    private func cut(_ problem: Problem, _ ids: [EntryID], _ submission: Submission) async throws(Problem) -> Problem {
        guard !ids.isEmpty else { return problem }
        let entries = try await context.asking { [context] () throws(StoreError) in
            try await context.store.entries(ids, tenant: submission.tenant.id)
        }
        let stored = entries.compactMap { $0.map(AcceptedNotification.init) }
        return problem.naming(stored: stored, hasKey: submission.idempotency != nil)
    }

    private func inTask(
        _ submission: Submission,
        _ work: @escaping @Sendable (SubmissionPipeline, Submission) async throws(Problem) -> Earlier
    ) {
        let box = LoopBound((pipeline: self, submission: submission), to: context.loop)
        Task(executorPreference: context.loop) {
            let (pipeline, submission) = box.value
            do throws(Problem) {
                let earlier = try await work(pipeline, submission)
                submission.accept(earlier.notifications, rejected: earlier.rejected)
            } catch {
                submission.end(pipeline.context.refuse(error))
            }
        }
    }

    /// Computes beside the loop, so that a broadcast delays no call.
    private func compute<Value: Sendable>(
        _ call: APICall,
        _ work: @escaping @Sendable (inout RandomReserve) throws(Problem) -> Value,
        then proceed: @escaping (Result<Value, Problem>) -> Void
    ) {
        guard !call.isSmall else { return proceed(Result { () throws(Problem) in try work(&random) }) }
        let box = LoopBound(proceed, to: context.loop)
        // It touches no state, and ends.
        Task.detached {
            var random = RandomReserve()
            let result = Result { () throws(Problem) in try work(&random) }
            box.loop.perform { box.value(result) }
        }
    }
}
