import Envelope
import PushStore
import Transport

/// `POST /v1/notifications` with a small body, from its bytes to its answer: what every notification passes, in steps of the
/// loop and without a task. Requests that come together are looked up and stored together. Lives on the loop.
///
/// What is not the rule (a repetition, a quota that is used up) goes on in a task, as every other request does.
final class SubmissionPath {
    private let context: ServiceContext
    private let intake: Intake
    private var lookups: CallBatch<SubmissionRun>?
    private var random = RandomReserve()

    init(_ context: ServiceContext, _ intake: Intake) {
        self.context = context
        self.intake = intake
    }

    /// - Parameters:
    ///   - call: the request, its body read.
    ///   - respond: called once, on the loop, perhaps before this returns.
    func begin(_ call: APICall, respond: @escaping (HTTPAnswer) -> Void) {
        let run: SubmissionRun
        do throws(Problem) {
            run = try SubmissionRun(call, respond: respond)
        } catch {
            return respond(refusal(error))
        }
        do throws(Problem) {
            // Before the look-up, which costs more.
            let (count, lane) = (run.keys.count, run.submission.notificationClass.lane)
            try Admission.checkQueue(count, in: lane, of: run.storeID, context)
            lookupBatch.add(run)
        } catch {
            refuse(run, error)
        }
    }

    // MARK: The devices

    /// Made with the first request: it refers to this.
    private var lookupBatch: CallBatch<SubmissionRun> {
        if let lookups { return lookups }
        let batch = CallBatch<SubmissionRun>(
            context.loop,
            call: { [context] runs, completion in Self.lookUp(runs, context, completion) },
            deliver: { [weak self] run, error in self?.didLookUp(run, error) }
        )
        lookups = batch
        return batch
    }

    private static func lookUp(
        _ runs: [SubmissionRun],
        _ context: ServiceContext,
        _ completion: @escaping ([StoreError?]) -> Void
    ) {
        let box = LoopBound((runs: runs, completion: completion), to: context.loop)
        context.store.devices(runs.flatMap(\.keys)) { result in
            box.loop.perform {
                let (runs, completion) = box.value
                switch result {
                case .success(let lookups):
                    var start = 0
                    for run in runs {
                        let end = min(start + run.keys.count, lookups.count)
                        run.lookups = Array(lookups[start..<end])
                        start = end
                    }
                    completion(runs.map { $0.lookups.count == $0.keys.count ? nil : .damaged })
                case .failure(let error): completion(runs.map { _ in error })
                }
            }
        }
    }

    private func didLookUp(_ run: SubmissionRun, _ error: StoreError?) {
        do throws(Problem) {
            if let error { throw problem(error) }
            let lookups = run.lookups
            let now = context.clock.now()
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
            let offer = Intake.offer(draft, lookups, tenant: run.storeID, now: now)
            intake.storing.value.begin(
                StoringRun(offer, idempotency: run.idempotency, begun: run.call.begun) { [weak self] end in
                    self?.didStore(run, end)
                }
            )
        } catch {
            refuse(run, error)
        }
    }

    private func didStore(_ run: SubmissionRun, _ end: StoringRun.End) {
        let entries = run.draft?.entries ?? []
        switch end {
        case .stored: run.end(NotificationHandler.answer(entries.map(Intake.Accepted.init)))
        case .repeated(let result):
            intake.quota.giveBack(entries.count, of: run.tenant)
            goOn(run) { intake, run throws(Problem) in try await intake.repeated(result, run.tenant) }
        case .refused(let problem):
            intake.quota.giveBack(entries.count, of: run.tenant)
            refuse(run, problem)
        case .failed(let error):
            intake.quota.giveBack(entries.count, of: run.tenant)
            run.end(refusal(problem(error)))
        }
    }

    // MARK: Refusals

    private func refuse(_ run: SubmissionRun, _ error: Problem) {
        guard error.kind.status < 500, run.idempotency != nil else { return run.end(refusal(error)) }
        // A device may be gone by now, and a quota used up, that was there when the same request came first.
        goOn(run) { intake, run throws(Problem) in
            guard let known = try await intake.known(run.idempotency, run.tenant) else { throw error }
            return known
        }
    }

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

    private func problem(_ error: StoreError) -> Problem { context.problem(error) }

    private func refusal(_ problem: Problem) -> HTTPAnswer { context.refuse(problem) }
}
