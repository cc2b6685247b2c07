package import Envelope
internal import Platform

/// What every notification passes, with a callback on the thread that writes.
extension SQLiteStore {
    package func enqueue(
        _ requests: [OutboxRequest],
        now: Timestamp,
        completion: @escaping StoreCompletion<[EnqueueResult]>
    ) {
        if let error = Self.fault(requests) { return completion(.failure(error)) }
        writer.submit(
            weight: Self.weight(requests),
            canBeRefused: true,
            { writer throws(StoreError) in try writer.enqueue(requests, now: now) },
            completion: completion
        )
    }

    package func enqueueSending(
        _ requests: [OutboxRequest],
        now: Timestamp,
        completion: @escaping StoreCompletion<[SendingResult]>
    ) {
        if let error = Self.fault(requests) { return completion(.failure(error)) }
        writer.submit(
            weight: Self.weight(requests),
            canBeRefused: true,
            { writer throws(StoreError) in try writer.enqueueSending(requests, now: now) },
            completion: completion
        )
    }

    package func markSending(
        _ marked: [Lease],
        now: Timestamp,
        completion: @escaping StoreCompletion<[MarkResult]>
    ) {
        // In one step with the other takers: from here on nobody else gets them, however long the disk takes.
        let isHeld = leases.withLock { book in marked.map { book.mark($0) } }
        let held = zip(marked, isHeld).filter(\.1).map(\.0)
        writer.submit(weight: held.count, { writer throws(StoreError) in try writer.mark(held, now: now) }) {
            [leases] result in
            // What is on its way is in the file's hand: it is not queued.
            leases.withLock { book in
                guard case .success = result else { return held.forEach { book.end($0) } }
                held.forEach { book.didMark($0) }
            }
            completion(
                result.map { results in
                    var rest = results[...]
                    return isHeld.map { $0 ? rest.popFirst() ?? .lost : .lost }
                }
            )
        }
    }

    package func finish(
        _ outcomes: [Outcome],
        now: Timestamp,
        completion: @escaping StoreCompletion<[FinishResult]>
    ) {
        if outcomes.contains(where: { !$0.isMarked }) {
            return finishUnmarked(outcomes, now: now, completion: completion)
        }
        writer.submit(
            weight: outcomes.count,
            { writer throws(StoreError) in try writer.finish(outcomes, now: now) }
        ) { [leases] result in
            // One that was never marked is given back.
            if case .success(let results) = result, results.contains(where: { !$0.isRecorded }) {
                leases.withLock { book in outcomes.forEach { book.end($0.lease) } }
            }
            completion(result)
        }
    }

    /// As `finish`, with some that were only leased. After a failure nobody else gets those: they are handed in again.
    private func finishUnmarked(
        _ outcomes: [Outcome],
        now: Timestamp,
        completion: @escaping StoreCompletion<[FinishResult]>
    ) {
        let isHeld = leases.withLock { book in outcomes.map { $0.isMarked || book.mark($0.lease) } }
        let held = zip(outcomes, isHeld).filter(\.1).map(\.0)
        writer.submit(weight: held.count, { writer throws(StoreError) in try writer.finish(held, now: now) }) {
            [leases] result in
            guard case .success(let results) = result else { return completion(result) }
            leases.withLock { book in
                for (outcome, result) in zip(held, results) {
                    if !outcome.isMarked {
                        book.didMark(outcome.lease)
                    } else if !result.isRecorded {
                        book.end(outcome.lease)
                    }
                }
            }
            var rest = results[...]
            completion(.success(isHeld.map { $0 ? rest.popFirst() ?? .unknown : .unknown }))
        }
    }

    /// A call with a callback, waited for.
    func called<Value: Sendable>(_ call: (@escaping StoreCompletion<Value>) -> Void) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, StoreError>, Never>) in
            call { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    private static func weight(_ requests: [OutboxRequest]) -> Int { requests.reduce(0) { $0 + $1.entries.count } }

    /// What is wrong before anything is written.
    private static func fault(_ requests: [OutboxRequest]) -> StoreError? {
        do throws(StoreError) {
            for request in requests {
                for entry in request.entries {
                    guard NewEntry.payloadByteCounts.contains(entry.payload.count) else {
                        return .byteCount(field: .payload, of: NewEntry.payloadByteCounts)
                    }
                    try entry.checkReceiptHash()
                }
            }
            return nil
        } catch {
            return error
        }
    }
}

extension FinishResult {
    fileprivate var isRecorded: Bool { if case .recorded = self { true } else { false } }
}
