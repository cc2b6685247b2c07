internal import Envelope

/// Call that stores requests. One object, so that the closures of its job capture nothing else and need no memory.
final class EnqueueCall: Sendable {
    enum Completion: Sendable {
        case queued(StoreCompletion<[EnqueueResult]>)
        case sending(ShardLeases, StoreCompletion<[SendingResult]>)
    }

    private let requests: [OutboxRequest]
    private let relay: RelayID?
    private let now: Timestamp
    private let store: SQLiteStore
    private let completion: Completion

    init(
        _ requests: [OutboxRequest],
        from relay: RelayID?,
        now: Timestamp,
        to store: SQLiteStore,
        _ completion: Completion
    ) {
        self.requests = requests
        self.relay = relay
        self.now = now
        self.store = store
        self.completion = completion
    }

    /// Validates requests before the write.
    func begin() -> StoreCall {
        var weight = 0
        do throws(StoreError) {
            for request in requests {
                weight += request.entries.count
                for index in request.entries.indices { try request.entries[index].check() }
            }
        } catch {
            end(.failure(error))
            return .ended
        }
        return store.write(
            weight: weight,
            canBeRefused: true,
            { writer throws(StoreError) in try self.write(writer) },
            late: { self.queueAgain($0) },
            completion: { self.didWrite($0) }
        )
    }

    private func write(_ writer: StoreWriter) throws(StoreError) -> EnqueueStep {
        switch completion {
        case .queued: try writer.enqueue(requests, from: relay, now: now)
        case .sending(let owned, _): try writer.enqueueSending(requests, by: owned, now: now)
        }
    }

    private func queueAgain(_ step: EnqueueStep) {
        var marked: [Lease] = []
        for case .sending(let leases) in step.results { marked += leases }
        store.queueAgain(marked, now: now)
    }

    private func didWrite(_ result: Result<EnqueueStep, StoreError>) {
        switch result {
        case .failure(let error): end(.failure(error))
        case .success(let step): storeRest(step)
        }
    }

    /// Stores shard after shard.
    private func storeRest(_ step: EnqueueStep) {
        guard let shard = step.nextShard else { return end(step, by: nil) }
        store.write({ [self] writer throws(StoreError) in
            try writer.enqueueRest(of: step.open, requests, in: shard, from: relay, now: now)
        }) { [self] result in
            var step = step
            switch result {
            case .success(let open):
                step.open = open
                storeRest(step)
            case .failure(let error): end(step, by: error)
            }
        }
    }

    private func end(_ step: EnqueueStep, by error: StoreError?) {
        var step = step
        step.end(by: error)
        end(.success(step.results))
    }

    private func end(_ result: Result<[SendingResult], StoreError>) {
        switch completion {
        case .sending(_, let completion): completion(result)
        case .queued(let completion):
            completion(
                result.map { results in
                    results.map { if case .enqueued(let result) = $0 { result } else { .conflict } }
                }
            )
        }
    }
}
