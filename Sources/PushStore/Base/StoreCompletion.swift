/// Call's completion, called once, on any thread; it must only pass the result on.
package typealias StoreCompletion<Value> = @Sendable (Result<Value, StoreError>) -> Void

/// Awaits a call with a completion.
package func awaited<Value: Sendable>(
    _ call: (@escaping StoreCompletion<Value>) -> Void
) async throws(StoreError) -> Value {
    let result = await withCheckedContinuation {
        (continuation: CheckedContinuation<Result<Value, StoreError>, Never>) in
        call { continuation.resume(returning: $0) }
    }
    return try result.get()
}
