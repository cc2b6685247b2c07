import Envelope
import Primitives
import PushStore
import Transport

/// `POST /v1/notifications` with a small body, from its bytes to its answer: what every notification passes, in steps of the
/// loop and without a task. Requests that come together are looked up and stored together. Lives on the loop.
///
/// What is not the rule (a repetition, a quota that is used up) goes on in a task, as every other request does.
final class SubmissionPath {
    private let context: ServiceContext
    private let intake: Intake
    private var lookups: CallBatch<SubmissionRun, [DeviceLookup]>?
    private var storing: CallBatch<SubmissionRun, StoringResult>?

    init(_ context: ServiceContext, _ intake: Intake) {
        self.context = context
        self.intake = intake
    }

    /// - Parameters:
    ///   - call: the request, its body read.
    ///   - respond: called once, on the loop, perhaps before this returns.
    func begin(_ call: APICall, respond: @escaping (HTTPAnswer) -> Void) {
        do throws(Problem) {
            lookupBatch.add(try SubmissionRun(call, respond: respond))
        } catch {
            respond(refusal(error))
        }
    }

    // MARK: The devices

    /// Made with the first request: it refers to this.
    private var lookupBatch: CallBatch<SubmissionRun, [DeviceLookup]> {
        if let lookups { return lookups }
        let batch = CallBatch<SubmissionRun, [DeviceLookup]>(
            context.loop,
            call: { [context] runs, completion in Self.lookUp(runs, context, completion) },
            deliver: { [unowned self] run, result in didLookUp(run, result) }
        )
        lookups = batch
        return batch
    }

    private static func lookUp(
        _ runs: [SubmissionRun],
        _ context: ServiceContext,
        _ completion: @escaping ([Result<[DeviceLookup], StoreError>]) -> Void
    ) {
        let counts = runs.map(\.keys.count)
        let box = LoopBound(completion, to: context.loop)
        context.store.devices(runs.flatMap(\.keys)) { result in
            box.loop.perform {
                guard case .success(let lookups) = result else {
                    return box.value(counts.map { _ in result })
                }
                var rest = lookups[...]
                box.value(
                    counts.map { count in
                        defer { rest = rest.dropFirst(count) }
                        return .success(Array(rest.prefix(count)))
                    }
                )
            }
        }
    }

    private func didLookUp(_ run: SubmissionRun, _ result: Result<[DeviceLookup], StoreError>) {
        do throws(Problem) {
            let lookups = try found(result)
            guard lookups.count == run.keys.count else {
                throw Problem(.internalError, "The store's answer is too short.")
            }
            let now = context.clock.now()
            var random = SystemRandom()
            let draft = try NotificationDraft(
                run.submission,
                lookups: lookups,
                tenant: run.tenant,
                settings: run.call.settings,
                collapseKey: context.collapseKey,
                now: now,
                random: &random
            )
            run.draft = draft
            if let problem = intake.takeQuota(draft.entries.count, run.tenant, now: now) { throw problem }
            run.reservation = intake.door.reserve(Self.offer(of: run, draft, lookups, now: now))
            storingBatch.add(run)
        } catch {
            guard error.kind.status < 500, run.idempotency != nil else { return run.end(refusal(error)) }
            // A device may be gone by now, and a quota used up, that was there when the same request came first.
            goOn(run) { intake, run throws(Problem) in
                guard let known = try await intake.known(run.idempotency, run.tenant) else { throw error }
                return known
            }
        }
    }

    private static func offer(
        of run: SubmissionRun,
        _ draft: NotificationDraft,
        _ lookups: [DeviceLookup],
        now: Timestamp
    ) -> SendOffer {
        let devices = lookups.compactMap { if case .found(let device) = $0 { device } else { nil } }
        return SendOffer(
            tenant: run.storeID,
            entries: draft.entries,
            devices: devices,
            bundleID: run.submission.bundleID.text,
            now: now
        )
    }

    // MARK: The disk

    private var storingBatch: CallBatch<SubmissionRun, StoringResult> {
        if let storing { return storing }
        let batch = CallBatch<SubmissionRun, StoringResult>(
            context.loop,
            call: { [context] runs, completion in StoringCall(runs, context, completion).begin() },
            deliver: { [unowned self] run, result in didStore(run, result) }
        )
        storing = batch
        return batch
    }

    private func didStore(_ run: SubmissionRun, _ result: Result<StoringResult, StoreError>) {
        guard let draft = run.draft else { return }
        switch result {
        case .success(.sending(let leases)):
            if let reservation = run.reservation { intake.door.didStore(reservation, leases) }
        case .success(.queued):
            if let first = draft.entries.first { intake.door.ring([first.lane]) }
        case .success(.other(let result)):
            didNotStore(run, draft)
            return goOn(run) { intake, run throws(Problem) in try await intake.repeated(result, run.tenant) }
        case .failure(let error):
            didNotStore(run, draft)
            return run.end(refusal(problem(error)))
        }
        intake.didStore(draft.entries, draft.topic, run.call)
        run.end(NotificationHandler.answer(draft.entries.map(Intake.Accepted.init)))
    }

    private func didNotStore(_ run: SubmissionRun, _ draft: NotificationDraft) {
        intake.quota.giveBack(draft.entries.count, of: run.tenant)
        if let reservation = run.reservation { intake.door.didNotStore(reservation) }
    }

    // MARK: Refusals

    /// The rest of a request that is not as most are. The task touches what lives on the loop, and runs there; it ends with
    /// the request's answer.
    private func goOn(
        _ run: SubmissionRun,
        _ work: @escaping @Sendable (Intake, SubmissionRun) async throws(Problem) -> [Intake.Accepted]
    ) {
        let box = LoopBound((path: self, run: run), to: context.loop)
        let intake = intake
        Task(executorPreference: context.loop) {
            let (path, run) = box.value
            do throws(Problem) {
                run.end(NotificationHandler.answer(try await work(intake, run)))
            } catch {
                run.end(path.refusal(error))
            }
        }
    }

    private func found<Value>(_ result: Result<Value, StoreError>) throws(Problem) -> Value {
        do throws(StoreError) { return try result.get() } catch { throw problem(error) }
    }

    private func problem(_ error: StoreError) -> Problem { context.problem(error) }

    private func refusal(_ problem: Problem) -> HTTPAnswer { context.refuse(problem) }
}
