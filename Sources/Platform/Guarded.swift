/// Value behind a lock.
///
/// Not `Mutex`: on Linux the thread sanitizer does not see its futex in a debug build and reports every protected
/// access as a race, which would drown the real ones. It does see a pthread lock.
///
/// Unchecked: the value is reached only under the lock, and the lock's memory never moves. Behind a pointer the value is
/// not checked for exclusive access too, which the lock gives. Public and inlinable, so that each module specialises it
/// for its own values; Swift 6.3 does not for `package`.
@safe
public final class Guarded<Value>: @unchecked Sendable {
    #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
    @usableFromInline let lock: os_unfair_lock_t
    #else
    @usableFromInline let lock: UnsafeMutablePointer<pthread_mutex_t>
    #endif
    @usableFromInline let value: UnsafeMutablePointer<Value>

    /// Puts a value behind a new lock.
    @inlinable
    public init(_ value: sending Value) {
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
        unsafe lock = .allocate(capacity: 1)
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        unsafe lock.initialize(to: os_unfair_lock())
        #else
        unsafe lock.initialize(to: pthread_mutex_t())
        let code = unsafe pthread_mutex_init(lock, nil)
        precondition(code == 0)
        #endif
    }

    @inlinable
    deinit {
        #if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
        unsafe pthread_mutex_destroy(lock)
        #endif
        unsafe lock.deinitialize(count: 1)
        unsafe lock.deallocate()
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Runs `body` with the value, one caller at a time. Not reentrant; `body` must not wait.
    @inlinable
    public func withLock<Result, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        unsafe os_unfair_lock_lock(lock)
        defer { unsafe os_unfair_lock_unlock(lock) }
        #else
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        #endif
        return try unsafe body(&value.pointee)
    }
}
