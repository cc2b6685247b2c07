import Envelope
import Testing
import Transport

@testable import PushService
@testable import PushStore

/// What the runners have in common.
struct DueRunnerTests {
    @Test func `an end that comes while somebody begins to wait for it is not missed`() async throws {
        let site = try HookSite()
        let (loop, runner) = (site.loop, IdleRunner(site.context(try site.settings([:]))))
        loop.perform {
            // It does not prefer the loop, and is queued anew wherever the runtime sees to it that it is there.
            Task.immediate { await runner.drained() }
            loop.perform { runner.assumeIsolated { $0.finish() } }
        }
        // What was queued by each round has run in the next one.
        for _ in 0..<6 { await loop.run {} }
        #expect(await loop.run { runner.assumeIsolated { $0.turn.idle.isEmpty } })
    }
}

/// Takes nothing, and has something to write down until it is told otherwise.
private actor IdleRunner: DueRunner {
    static let storeFailureEvent: StaticString = "idle-store-failed"

    nonisolated let context: ServiceContext
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe context.loop.asUnownedSerialExecutor() }
    var turn: DueTurn
    let heldCount = 0
    private(set) var isFinishing = true

    init(_ context: ServiceContext) {
        self.context = context
        turn = DueTurn(context)
    }

    func takeBatch(now: Timestamp) async throws(StoreError) -> Bool { false }
    func nextDue() async throws(StoreError) -> Timestamp? { nil }

    func finish() {
        isFinishing = false
        didRelease()
    }
}
