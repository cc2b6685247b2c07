/// Value behind a lock.
///
/// Not `Mutex`: on Linux the thread sanitizer does not see its futex in a debug build and reports every protected
/// access as a race, which would drown the real ones. It does see a pthread lock.
///
/// Unchecked: the value is reached only under the lock, and the lock's memory never moves.
@safe
package final class Guarded<Value>: @unchecked Sendable {
    #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
    private let lock: os_unfair_lock_t
    #else
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    #endif
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
        unsafe lock = .allocate(capacity: 1)
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        unsafe lock.initialize(to: os_unfair_lock())
        #else
        unsafe lock.initialize(to: pthread_mutex_t())
        let code = unsafe pthread_mutex_init(lock, nil)
        precondition(code == 0)
        #endif
    }

    deinit {
        #if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
        unsafe pthread_mutex_destroy(lock)
        #endif
        unsafe lock.deinitialize(count: 1)
        unsafe lock.deallocate()
    }

    /// Runs `body` with the value, one caller at a time. Not reentrant; `body` must not wait.
    package func withLock<Result, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        unsafe os_unfair_lock_lock(lock)
        defer { unsafe os_unfair_lock_unlock(lock) }
        #else
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        #endif
        return try body(&value)
    }
}
