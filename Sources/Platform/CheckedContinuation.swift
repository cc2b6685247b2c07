#if SEALEDPUSH_THREAD_SANITIZER
/// Continuation whose hand-over the thread sanitizer sees, in place of the library's, which it hides.
///
/// The runtime of Swift 6.3.1 hands a value that is there before its task waits over by an atomic of its own, unknown to
/// the sanitizer; each later read of the value is then a false race. A lock that both sides pass is seen.
package struct CheckedContinuation<Value, Failure: Error>: Sendable {
    fileprivate let base: _Concurrency.CheckedContinuation<Value, Failure>
    fileprivate let lock: Guarded<Bool>

    package func resume(returning value: sending Value) {
        lock.withLock { $0 = true }
        base.resume(returning: value)
    }

    package func resume(throwing error: Failure) {
        lock.withLock { $0 = true }
        base.resume(throwing: error)
    }

    package func resume(with result: sending Result<Value, Failure>) {
        lock.withLock { $0 = true }
        base.resume(with: result)
    }
}

extension CheckedContinuation where Value == () {
    package func resume() { resume(returning: ()) }
}

/// The library's, by the same name.
nonisolated(nonsending) package func withCheckedContinuation<Value>(
    _ body: (CheckedContinuation<Value, Never>) -> Void
) async -> Value {
    let lock = Guarded(false)
    let value = await _Concurrency.withCheckedContinuation { base in
        body(CheckedContinuation(base: base, lock: lock))
    }
    lock.withLock { _ in }
    return value
}

/// The library's, by the same name.
nonisolated(nonsending) package func withCheckedThrowingContinuation<Value>(
    _ body: (CheckedContinuation<Value, any Error>) -> Void
) async throws -> Value {
    let lock = Guarded(false)
    defer { lock.withLock { _ in } }
    return try await _Concurrency.withCheckedThrowingContinuation { base in
        body(CheckedContinuation(base: base, lock: lock))
    }
}

/// The library's, by the same name, on a checked one: to resume an unsafe one reads the task's frame, which the
/// sanitizer takes for a race.
@unsafe
package struct UnsafeContinuation<Value, Failure: Error>: Sendable {
    fileprivate let checked: CheckedContinuation<Value, Failure>

    package func resume(returning value: sending Value) { unsafe checked.resume(returning: value) }
}

extension UnsafeContinuation where Value == () {
    package func resume() { unsafe resume(returning: ()) }
}

/// The library's, by the same name.
@unsafe
nonisolated(nonsending) package func withUnsafeContinuation<Value>(
    _ body: (UnsafeContinuation<Value, Never>) -> Void
) async -> Value {
    await withCheckedContinuation { unsafe body(UnsafeContinuation(checked: $0)) }
}
#endif
