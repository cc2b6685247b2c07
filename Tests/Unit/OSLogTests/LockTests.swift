import Foundation
import OSLog
import Testing
import os.lock
import os.log

/// Locks of `os`, and its log under its other names.
struct LockTests {
    @Test func `one thread at a time has an unfair lock`() async {
        let counter = OSAllocatedUnfairLock(initialState: 0)
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<10_000 { counter.withLock { $0 += 1 } } } }
        }
        #expect(counter.withLock { $0 } == 80_000)
    }

    @Test func `a taken lock is not available to another thread`() async {
        let lock = OSAllocatedUnfairLock(initialState: 7)
        let other = await withCheckedContinuation { continuation in
            lock.withLockUnchecked { _ in
                let isDone = DispatchSemaphore(value: 0)
                Thread {
                    lock.precondition(.notOwner)
                    continuation.resume(returning: lock.withLockIfAvailable { $0 })
                    isDone.signal()
                }
                .start()
                isDone.wait()
                lock.precondition(.owner)
            }
        }
        #expect(other == nil && lock.withLockIfAvailable { $0 } == 7)
    }

    @Test func `the lock in C is Apple's`() {
        var lock = os_unfair_lock()
        unsafe os_unfair_lock_lock(&lock)
        unsafe os_unfair_lock_assert_owner(&lock)
        let isTakenTwice = unsafe os_unfair_lock_trylock(&lock)
        unsafe os_unfair_lock_unlock(&lock)
        let isTaken = unsafe os_unfair_lock_trylock(&lock)
        #expect(!isTakenTwice && isTaken)
        unsafe os_unfair_lock_unlock(&lock)
        unsafe os_unfair_lock_assert_not_owner(&lock)
    }

    @Test(arguments: 0..<3) func `misuse of a lock ends the process`(_ misuse: Int) async {
        switch misuse {
        case 0:
            await #expect(processExitsWith: .signal(SIGABRT)) {
                var lock = os_unfair_lock()
                unsafe os_unfair_lock_lock(&lock)
                unsafe os_unfair_lock_lock(&lock)
            }
        case 1:
            await #expect(processExitsWith: .signal(SIGABRT)) {
                var lock = os_unfair_lock()
                unsafe os_unfair_lock_unlock(&lock)
            }
        default:
            await #expect(processExitsWith: .signal(SIGABRT)) {
                OSAllocatedUnfairLock().precondition(.owner)
            }
        }
    }

    @Test func `the log has its names from both modules`() {
        let log = os.OSLog(subsystem: "com.example", category: "push")
        os_log("text", log: log)
        os_log(.error, log: log, "count \(3)")
        os_log("public \("a", privacy: .public)")
        Logger(log).info("x")
    }
}
