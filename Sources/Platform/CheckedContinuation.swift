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
@unsafe
package struct UnsafeContinuation<Value, Failure: Error>: Sendable {
    fileprivate let base: _Concurrency.UnsafeContinuation<Value, Failure>
    fileprivate let lock: Guarded<Bool>

    package func resume(returning value: sending Value) {
        unsafe lock.withLock { $0 = true }
        unsafe base.resume(returning: value)
    }
}

/// The library's, by the same name.
@unsafe
nonisolated(nonsending) package func withUnsafeContinuation<Value>(
    _ body: (UnsafeContinuation<Value, Never>) -> Void
) async -> Value {
    let lock = Guarded(false)
    let value = await unsafe _Concurrency.withUnsafeContinuation { base in
        unsafe body(UnsafeContinuation(base: base, lock: lock))
    }
    lock.withLock { _ in }
    return value
}
#endif
