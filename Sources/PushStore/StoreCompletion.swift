/// What a call hands its result to: called once, on any thread; it only passes the result on.
package typealias StoreCompletion<Value> = @Sendable (Result<Value, StoreError>) -> Void

/// Waits for a call with a callback.
///
/// - Parameter call: calls its argument once.
/// - Returns: what `call` succeeds with.
/// - Throws: what `call` fails with.
package func awaited<Value: Sendable>(
    _ call: (@escaping StoreCompletion<Value>) -> Void
) async throws(StoreError) -> Value {
    let result = await withCheckedContinuation {
        (continuation: CheckedContinuation<Result<Value, StoreError>, Never>) in
        call { continuation.resume(returning: $0) }
    }
    return try result.get()
}
