import Glibc

extension EventLoop {
    /// Runs `work`, which must not block, on the loop and blocks the calling thread until it is done. Not from the
    /// loop, which would wait for ever.
    package func wait<Result: Sendable>(_ work: @escaping @Sendable () -> Result) -> Result {
        precondition(!isOnLoop, "the loop cannot wait for itself")
        let turnstile = Turnstile<Result>()
        perform { turnstile.open(with: work()) }
        return turnstile.wait()
    }
}

/// Passes one value between threads.
///
/// Unchecked Sendable: the semaphore orders the one write before the one read.
@safe private final class Turnstile<Value>: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>
    private var value: Value?

    init() {
        unsafe semaphore = .allocate(capacity: 1)
        let code = unsafe sem_init(semaphore, 0, 0)
        precondition(code == 0)
    }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    func open(with value: Value) {
        self.value = value
        unsafe sem_post(semaphore)
    }

    func wait() -> Value {
        while unsafe sem_wait(semaphore) != 0 {}
        guard let value else { preconditionFailure("it opens with a value only") }
        return value
    }
}
