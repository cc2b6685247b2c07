import Networking
import PushStore
import ServiceParts

/// Stores a turn's submissions: those sent at once, then queued ones, so that a device's keep their order. On the loop.
final class StoringCall {
    private let submissions: [Submission]
    private let context: ServiceContext
    private let completion: ([StoreError?]) -> Void
    private var errors: [StoreError?]
    private var openCount = 0

    /// - Parameter completion: called once, on the loop.
    init(
        _ submissions: [Submission],
        _ context: ServiceContext,
        _ completion: @escaping ([StoreError?]) -> Void
    ) {
        self.submissions = submissions
        self.context = context
        self.completion = completion
        errors = submissions.map { _ in nil }
    }

    func begin() {
        let now = context.clock.now()
        let box = LoopBound(self, to: context.loop)
        var (sending, queueing): ([OutboxRequest], [OutboxRequest]) = ([], [])
        var (sendingPlaces, queueingPlaces): ([Int], [Int]) = ([], [])
        for (place, submission) in submissions.enumerated() {
            do throws(StoreError) {
                let request = try OutboxRequest(
                    tenant: submission.tenant.id,
                    idempotency: submission.idempotency,
                    entries: submission.entries,
                    rejected: submission.rejected,
                    places: submission.places
                )
                if submission.reservation == nil {
                    queueing.append(request)
                    queueingPlaces.append(place)
                } else {
                    sending.append(request)
                    sendingPlaces.append(place)
                }
            } catch {
                errors[place] = error
            }
        }
        openCount = (sending.isEmpty ? 0 : 1) + (queueing.isEmpty ? 0 : 1)
        if openCount == 0 { return completion(errors) }
        if !sending.isEmpty {
            context.store.enqueueSending(sending, by: context.shards.live, now: now) { [sendingPlaces] result in
                box.loop.perform { box.value.end(sendingPlaces, result) }
            }
        }
        if !queueing.isEmpty {
            context.store.enqueue(queueing, from: context.shards.relay, now: now) { [queueingPlaces] result in
                box.loop.perform { box.value.end(queueingPlaces, result.map { $0.map { .enqueued($0) } }) }
            }
        }
    }

    private func end(_ places: [Int], _ result: Result<[SendingResult], StoreError>) {
        switch result {
        case .success(let values): for (place, value) in zip(places, values) { submissions[place].result = value }
        case .failure(let error): for place in places { errors[place] = error }
        }
        openCount -= 1
        if openCount == 0 { completion(errors) }
    }
}
