import APNS
import APNSProvider
import Networking
import PushStore
import PushStorePattern
import ServiceParts
import Testing

@testable import APNSSimulator
@testable import PushService

/// Connections that end again and again with notifications in flight: nothing is lost, and few arrive twice. With a
/// store and a simulator behind TLS.
struct CutConnectionTests {
    @Test func `where every fiftieth push cuts its connection, at most one in twenty comes twice, and none is lost`()
        async throws
    {
        let count: UInt64 = 6_000
        let site = try await DispatchSite(
            limits: #"{"push-burst-of-device": 1000, "pushes-per-minute-of-device": 60000}"#
        )
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store) { $0.backoff.burstCount = 10_000 }
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        let core = site.simulator.core
        await core.loop.run {
            var rule = InjectionRule(.request(.connection(.cut, isProcessed: true)))
            rule.percent = 2
            core.value.faults.add(rule)
        }
        let ids = try await site.enqueue(try (1...count).map { try site.entry($0, to: "one") }, store)
        // Retries wait on this clock, up to 15 minutes: it moves while none is at APNs.
        var open = ids
        while !open.isEmpty {
            let states = try await site.states(open, store)
            open = zip(open, states).filter { !($1?.isFinal ?? false) }.map(\.0)
            if !states.contains(.sending) { await site.advance(seconds: 1, dispatcher) }
        }
        #expect(try await site.states(ids, store).allSatisfy { $0 == .accepted })
        let arrivals = Dictionary(site.events.pushes.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(arrivals.count == Int(count))
        let twice = arrivals.values.count { $0 > 1 }
        #expect(twice <= Int(count) / 20, "\(twice) of \(count) came twice or more")
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }
}
