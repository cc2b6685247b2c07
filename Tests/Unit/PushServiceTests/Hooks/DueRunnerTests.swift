import Envelope
import Networking
import Platform
import Testing

@testable import PushService
@testable import PushStore

struct DueRunnerTests {
    @Test func `an end that comes while somebody begins to wait for it is not missed`() async throws {
        let site = try HookSite()
        let (loop, runner) = (site.loop, IdleRunner(site.context(try site.settings([:]))))
        runner.wake()
        while await loop.run({ runner.assumeIsolated { $0.taking == nil } }) {}
        loop.perform {
            // The task has no preferred loop: the runtime queues it anew wherever it makes sure of that.
            Task.immediate { await runner.drained() }
            loop.perform { runner.assumeIsolated { $0.finish() } }
        }
        // What each round queued has run in the next one.
        for _ in 0..<12 { await loop.run {} }
        #expect(await loop.run { runner.assumeIsolated { $0.turn.idle.isEmpty } })
    }
}

/// A runner that takes nothing, and runs until it is stopped.
private actor IdleRunner: DueRunner {
    static let storeFailureEvent: StaticString = "idle-store-failed"

    nonisolated let context: ServiceContext
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe context.loop.unownedExecutor }
    var turn: DueTurn<Never, Never>
    private(set) var taking: CheckedContinuation<Void, Never>?

    init(_ context: ServiceContext) {
        self.context = context
        turn = DueTurn(context, SendLimits(whole: 1, firstOfTenant: 1, ofTenant: 1))
    }

    func finish() { taking?.resume() }

    func take(_ room: ClaimRoom, now: Timestamp) async throws(StoreError) -> [(tenant: TenantID, work: Never)] {
        await withCheckedContinuation { taking = $0 }
        return []
    }

    func nextDue(_ room: ClaimRoom) async throws(StoreError) -> Timestamp? { nil }
    func countOfCall(to tenant: TenantID) -> Int { 1 }
    func call(_ works: [Never], of tenant: TenantID) async -> Bool { true }
    func unsent(_ work: Never) -> Never {}
    func write(_ outcomes: [Never]) async throws(StoreError) {}
    func dueAgain(_ outcome: Never) -> Timestamp? {}
}
