import Dispatch
import Platform
import Testing

@testable import Opening

struct BackgroundSyncTests {
    @Test func `a write is forced to disk soon, and one that comes meanwhile after it`() {
        let started = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let count = Guarded(0)
        let background = BackgroundSync {
            count.withLock { $0 += 1 }
            started.signal()
            goOn.wait()
        }
        background.noteWrite()
        started.wait()
        // The sync under way may not include it.
        background.noteWrite()
        background.noteWrite()
        goOn.signal()
        started.wait()
        goOn.signal()
        #expect(count.withLock { $0 } == 2)
        // Also after the thread has ended.
        background.noteWrite()
        started.wait()
        goOn.signal()
        #expect(count.withLock { $0 } == 3)
    }

    @Test func `what could not be forced to disk fails the next operation, once (abuse case 49)`() {
        let failed = DispatchSemaphore(value: 0)
        let background = BackgroundSync { () throws(ReplayWindowError) in
            defer { failed.signal() }
            throw .full
        }
        #expect(throws: Never.self) { try background.checkFailure() }
        background.noteWrite()
        failed.wait()
        // The thread reports in its own time; the next attempt begins only after the first was recorded.
        background.noteWrite()
        failed.wait()
        #expect(throws: ReplayWindowError.full) { try background.checkFailure() }
    }
}
