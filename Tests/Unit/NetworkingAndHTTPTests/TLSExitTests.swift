import Glibc
import Platform
import Synchronization
import TestCertificates
import Testing

struct TLSExitTests {
    @Test func `threads that used TLS may end while the program does`() async {
        await #expect(processExitsWith: .success) {
            let count = 64
            let readyCount = Monitored(0)
            let isEnding = SpinFlag()
            for _ in 0..<count {
                let hasStarted = DetachedThread.start(stackByteCount: 1 << 18) {
                    _ = try? TestAuthority()
                    readyCount.change { $0 += 1 }
                    isEnding.wait()
                }
                precondition(hasStarted)
            }
            readyCount.wait { $0 == count ? () : nil }
            isEnding.set()
            exit(0)
        }
    }
}

/// Flag that wakes all threads at once: each looks all the time.
private final class SpinFlag: Sendable {
    private let isSet = Atomic(false)

    func set() { isSet.store(true, ordering: .releasing) }
    func wait() { while !isSet.load(ordering: .acquiring) { sched_yield() } }
}
