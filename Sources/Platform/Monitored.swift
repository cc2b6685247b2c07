/// Value behind a lock, with a way to wait for a condition.
///
/// Unchecked: the value is reached only under the lock, and the lock's memory never moves. Public and inlinable, as
/// `Guarded`.
@safe
public final class Monitored<Value>: @unchecked Sendable {
    @usableFromInline let lock: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let condition: UnsafeMutablePointer<pthread_cond_t>
    @usableFromInline var value: Value

    /// Puts a value behind a new lock.
    public init(_ value: sending Value) {
        self.value = value
        unsafe lock = .allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_mutex_t())
        unsafe condition = .allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        let codes = unsafe [pthread_mutex_init(lock, nil), pthread_cond_init(condition, nil)]
        precondition(codes == [0, 0])
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe condition.deinitialize(count: 1)
        unsafe condition.deallocate()
        unsafe pthread_mutex_destroy(lock)
        unsafe lock.deinitialize(count: 1)
        unsafe lock.deallocate()
    }

    /// Threads to wake after a change.
    public enum Waking: Sendable {
        case all
        /// Any one, where all wait for the same.
        case one
        case none
    }

    /// Changes the value, one caller at a time, and wakes waiters. Not reentrant.
    @discardableResult
    @inlinable
    public func change<Result>(waking: Waking = .all, _ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(lock)
        let result = body(&value)
        unsafe pthread_mutex_unlock(lock)
        // Behind the lock: a woken thread would wait for it.
        switch waking {
        case .all: unsafe pthread_cond_broadcast(condition)
        case .one: unsafe pthread_cond_signal(condition)
        case .none: break
        }
        return result
    }

    /// Blocks this thread until `body` returns a value; it is called after every change. Never on a thread of tasks.
    @inlinable
    public func wait<Result>(_ body: (inout Value) -> Result?) -> Result {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        while true {
            if let result = body(&value) { return result }
            unsafe pthread_cond_wait(condition, lock)
        }
    }
}
