import Platform
import Synchronization

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
    isolation: isolated (any Actor)? = #isolation,
    _ call: (@escaping StoreCompletion<Value>) -> StoreCall
) async throws(StoreError) -> Value {
    let awaited = AwaitedCall<Value>()
    await withTaskCancellationHandler {
        // Named, the closure runs where the caller does, and no other thread is woken.
        _ = isolation
        await unsafe withUnsafeContinuation { unsafe awaited.begin($0, call) }
    } onCancel: {
        awaited.cancel()
    }
    return try awaited.value()
}

/// Call of a task. It has the result, as runtime and continuation move only what is trivial without looking types up.
///
/// Unchecked: `call` is written before `state` is `.begun`, read by others after, and let go when no handler runs any
/// more; `result` is written before the task resumes.
private final class AwaitedCall<Value: Sendable>: @unchecked Sendable {
    private enum State: UInt8, AtomicRepresentable { case none, begun, cancelled }

    private let state = Atomic(State.none)
    private var call: StoreCall?
    private var result: Result<Value, StoreError>?

    /// - Parameter start: starts the call, which completes once.
    func begin(
        _ continuation: UnsafeContinuation<Void, Never>,
        _ start: (@escaping StoreCompletion<Value>) -> StoreCall
    ) {
        let call = start { [self] result in
            self.result = result
            unsafe continuation.resume()
        }
        self.call = call
        let (isBegun, _) = state.compareExchange(expected: .none, desired: .begun, ordering: .acquiringAndReleasing)
        // Its handler came too early.
        if !isBegun { call.cancel() }
    }

    func cancel() {
        if state.exchange(.cancelled, ordering: .acquiringAndReleasing) == .begun { call?.cancel() }
    }

    /// After the wait, when no handler runs any more.
    func value() throws(StoreError) -> Value {
        // Its job has the completion, and that this object.
        call = nil
        guard let result else { preconditionFailure("A call has resumed its task without a result.") }
        return try result.get()
    }
}
