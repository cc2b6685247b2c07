internal import UserNotifications

/// A value behind a lock.
///
/// Not `Mutex`: on Linux the thread sanitizer does not see its futex in a debug build and reports every protected access
/// as a race, which would drown the races of the extension under test. It does see a lock of pthreads.
///
/// Unchecked: the value is reached under the lock only.
final class Guarded<Value: Sendable>: @unchecked Sendable {
    // Sendable because `value` is touched only in `withLock`, which holds the lock.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
