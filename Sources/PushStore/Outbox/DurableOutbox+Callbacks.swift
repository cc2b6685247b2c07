package import Envelope

/// What a call of an outbox's hands its result to: called once, on any thread; it only passes the result on.
package typealias StoreCompletion<Value> = @Sendable (Result<Value, StoreError>) -> Void

/// An engine without callbacks of its own. Each task does one call of the engine's and ends with it: whoever closes the
/// engine waits for its calls.
extension DurableOutbox {
    package func enqueue(
        _ requests: [OutboxRequest],
        now: Timestamp,
        completion: @escaping StoreCompletion<[EnqueueResult]>
    ) {
        Task {
            do throws(StoreError) { completion(.success(try await enqueue(requests, now: now))) } catch {
                completion(.failure(error))
            }
        }
    }

    package func enqueueSending(
        _ requests: [OutboxRequest],
        now: Timestamp,
        completion: @escaping StoreCompletion<[SendingResult]>
    ) {
        Task {
            do throws(StoreError) { completion(.success(try await enqueueSending(requests, now: now))) } catch {
                completion(.failure(error))
            }
        }
    }

    package func markSending(
        _ leases: [Lease],
        now: Timestamp,
        completion: @escaping StoreCompletion<[MarkResult]>
    ) {
        Task {
            do throws(StoreError) { completion(.success(try await markSending(leases, now: now))) } catch {
                completion(.failure(error))
            }
        }
    }

    package func finish(
        _ outcomes: [Outcome],
        now: Timestamp,
        completion: @escaping StoreCompletion<[FinishResult]>
    ) {
        Task {
            do throws(StoreError) { completion(.success(try await finish(outcomes, now: now))) } catch {
                completion(.failure(error))
            }
        }
    }
}
