import Envelope
import Networking
import Platform
import Primitives
import PushStorePattern
import ServiceParts
import TestSupport
import Testing

@testable import PushService
@testable import PushStore

struct StorePulseTests {
    private let folder: TemporaryFolder
    private let store: SQLiteStore
    private let context: ServiceContext
    private let uptime = Shared(0)

    private final class Shared: Sendable {
        let value: Guarded<Int64>
        init(_ value: Int64) { self.value = Guarded(value) }
    }

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(path: folder.path("store"), key: try StorePattern.key(), now: StorePattern.start)
        let uptime = uptime
        context = ServiceContext(
            loop: try EventLoop(),
            store: store,
            clock: ServiceClock(now: { StorePattern.start }, uptime: { uptime.value.withLock { $0 } }),
            log: ServiceLog { _ in },
            collapseKey: CollapseKey(SecretBytes(byteCount: 32) { _ in }),
            settings: try StagedConfiguration.settings(),
            shards: ShardTenure(store.openingReport.leases)
        )
    }

    private func vitals(of pulse: StorePulse, until isSo: @escaping @Sendable (StoreVitals) -> Bool) async {
        while await !context.loop.run({ isSo(pulse.vitals) }) { await Task.yield() }
    }

    @Test func `a store whose thread hangs is known to hang, and to answer again`() async throws {
        let pulse = StorePulse(context, store)
        let hold = Monitored(false)
        store.write({ _ throws(StoreError) in hold.wait { $0 ? true : nil } }, completion: { _ in })
        await context.loop.run { pulse.ask() }
        #expect(await context.loop.run { pulse.vitals.isAnswering })
        uptime.value.withLock { $0 += StorePulse.patience }
        #expect(await !context.loop.run { pulse.vitals.isAnswering })
        hold.change { $0 = true }
        await vitals(of: pulse) { $0.isAnswering }
        await store.close()
        context.loop.stopLater()
    }

    @Test func `a store that was closed, or has to be opened anew, does not answer`() async throws {
        let pulse = StorePulse(context, store)
        await store.close()
        await context.loop.run { pulse.ask() }
        await vitals(of: pulse) { !$0.isAnswering }
        context.loop.stopLater()
    }

    @Test func `a database that was taken away is noticed without a post, and a restart helps once it is back`()
        async throws
    {
        let pulse = StorePulse(context, store)
        let (path, away) = (folder.path("store"), folder.path("away"))
        #expect(unsafe rename(path, away) == 0)
        await context.loop.run { pulse.ask() }
        await vitals(of: pulse) { $0.health == .moved && !$0.needsOpening }
        #expect(unsafe rename(away, path) == 0)
        #expect(await context.loop.run { pulse.vitals.needsOpening })
        await store.close()
        context.loop.stopLater()
    }
}
