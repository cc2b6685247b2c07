import Networking
import PushStore
import TestSupport
import Testing

@testable import APNSProvider
@testable import PushService

/// A relay's share of the connections to Apple.
struct ConnectionShareTests {
    private static func limits(_ dispatcher: Dispatcher) async -> [Int] {
        let loop = dispatcher.context.loop
        return await loop.run { dispatcher.lanes.entries.values.map { $0.client.pool.value.connectionCountMax } }
    }

    private static func share(_ dispatcher: Dispatcher, among relayCount: Int) async -> Set<Int> {
        await dispatcher.context.loop.run { dispatcher.shareConnections(among: relayCount) }
        return Set(await limits(dispatcher))
    }

    @Test func `relays share a credential's connections, each with at least one`() async throws {
        let site = try await DispatchSite(limits: #"{"connections-to-apple": 20}"#)
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        await dispatcher.context.loop.run { dispatcher.shareConnections(among: 3) }
        try await dispatcher.start(try site.plan())
        #expect(Set(await Self.limits(dispatcher)) == [6])
        #expect(await Self.share(dispatcher, among: 1) == [20])
        #expect(await Self.share(dispatcher, among: 21) == [1])
        #expect(await Self.share(dispatcher, among: 2) == [10])
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `a reload's limit is shared among as many relays as before, by a new credential's client too`()
        async throws
    {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        #expect(await Self.share(dispatcher, among: 4) == [4])
        dispatcher.context.replaceSettings(try site.settings(limits: #"{"connections-to-apple": 40}"#))
        _ = try site.folder.makeFile("key.p8", ThrowawayKeys.secondPEM)
        try await dispatcher.reload(try site.plan())
        #expect(Set(await Self.limits(dispatcher)) == [10])
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }
}
