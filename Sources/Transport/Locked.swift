import Glibc

/// A value behind a pthread mutex.
///
/// Not the standard library's `Mutex`: the thread sanitizer does not see its futex on Linux, and would report
/// everything that two threads hand over through a loop as a race.
///
/// Unchecked: the value is reached under the lock only.
@safe struct Locked<Value>: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    init(_ value: Value) {
        unsafe self.mutex = .allocate(capacity: 1)
        unsafe self.value = .allocate(capacity: 1)
        let code = unsafe pthread_mutex_init(mutex, nil)
        precondition(code == 0)
        unsafe self.value.initialize(to: value)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    borrowing func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        // A default mutex that is initialised and not held by this thread cannot fail.
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return unsafe body(&value.pointee)
    }
}
