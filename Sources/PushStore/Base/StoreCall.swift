internal import Platform

/// Call's completion, called once, on any thread; it must only pass the result on.
package typealias StoreCompletion<Value> = @Sendable (Result<Value, StoreError>) -> Void

/// Started call.
package struct StoreCall: Sendable {
    /// Stands for one that has ended.
    package static let ended = StoreCall {}

    private let stop: @Sendable () -> Void

    package init(stop: @escaping @Sendable () -> Void) { self.stop = stop }

    /// Ends the call with `.cancelled`, unless it has begun.
    package func cancel() { stop() }
}

/// Awaits a call with a completion, and cancels it with its task.
package func awaited<Value: Sendable>(
    _ call: (@escaping StoreCompletion<Value>) -> StoreCall
) async throws(StoreError) -> Value {
    let started = Guarded<StoreCall?>(nil)
    let result = await withTaskCancellationHandler {
        await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, StoreError>, Never>) in
            let made = call { continuation.resume(returning: $0) }
            started.withLock { $0 = made }
            // Its handler came too early.
            if Task.isCancelled { made.cancel() }
        }
    } onCancel: {
        started.withLock { $0 }?.cancel()
    }
    return try result.get()
}
