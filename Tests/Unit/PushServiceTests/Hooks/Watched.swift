import Platform

final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var waiters: [(isReady: @Sendable (Value) -> Bool, continuation: CheckedContinuation<Value, Never>)] = []
    }

    private let state: Guarded<State>

    init(_ value: Value) { state = Guarded(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    @discardableResult
    func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        let (result, value, ready) = state.withLock { state in
            let result = body(&state.value)
            let ready = state.waiters.filter { $0.isReady(state.value) }.map(\.continuation)
            let value = state.value
            state.waiters.removeAll { $0.isReady(value) }
            return (result, value, ready)
        }
        for continuation in ready { continuation.resume(returning: value) }
        return result
    }

    @discardableResult
    func when(_ isReady: @escaping @Sendable (Value) -> Bool) async -> Value {
        await withCheckedContinuation { continuation in
            let value: Value? = state.withLock { state in
                if isReady(state.value) { return state.value }
                state.waiters.append((isReady, continuation))
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
