import APNS
import Envelope
import Networking
import Platform
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import PushService

struct WakingTests {
    private final class Woken: Sendable {
        private let counts = Guarded((hooks: 0, fallbacks: 0))

        var wakers: DispatchWakers {
            DispatchWakers(
                hooks: { self.counts.withLock { $0.hooks += 1 } },
                fallbacks: { self.counts.withLock { $0.fallbacks += 1 } }
            )
        }
        var all: [Int] { counts.withLock { [$0.hooks, $0.fallbacks] } }
    }

    @Test(arguments: [false, true])
    func `of one batch each bell rings, in whatever order its ends stand`(_ isReversed: Bool) async throws {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let woken = Woken()
        let dispatcher = try site.dispatcher(store, wakers: woken.wakers)
        _ = try await site.enqueue(try (1...2).map { try site.entry($0, to: "one", lane: .urgent) }, store)
        let now = site.clock.now
        let leased = try await store.take(
            TakeDemand(lane: .urgent, limit: 2, retryLimit: 0, now: now, leasedUntil: now.advanced(by: .seconds(60)))
        )
        #expect(leased.count == 2)
        await site.loop.run {
            let attempt = Attempt(time: now, connection: .answered)
            let verdicts: [Verdict] = [.accepted, .dead(.rejected)]
            var ended = zip(leased, verdicts).map { leased, verdict in
                let pending = Dispatcher.Pending(
                    leased: leased,
                    destination: .end("Ended"),
                    bundleID: .named(DispatchSite.bundleID),
                    device: nil
                )
                pending.outcome = Outcome(lease: leased.lease, attempt: attempt, verdict: verdict)
                return pending
            }
            if isReversed { ended.reverse() }
            dispatcher.wakeHooks(for: ended)
        }
        #expect(woken.all == [1, 1])
        await store.close()
    }

    @Test func `what upkeep ends is told, and every few seconds somebody looks`() async throws {
        try await ServerStage.with { stage in
            try await stage.register()
            let woken = Woken()
            let upkeep = Upkeep(stage.context, quota: stage.quota, wakers: woken.wakers)
            func run() async {
                // It lives as long as the test waits for it, on the loop that it needs.
                await Task(executorPreference: stage.loop) { await upkeep.run() }.value
            }
            _ = await stage.post(Body.notification())
            await run()
            #expect(woken.all == [1, 1], "the first look")
            stage.advance(.seconds(1))
            await run()
            #expect(woken.all == [1, 1])
            stage.advance(.seconds(4))
            await run()
            #expect(woken.all == [2, 2])
            stage.advance(.seconds(86_400))
            await run()
            #expect(woken.all == [4, 3], "for the one whose time was over, and the look")
            let text = await stage.send("GET", "/v1/metrics", StagedConfiguration.key("acme", .metrics)).text
            #expect(text.contains(#"sealedpush_outcomes_total{topic="com.example.chat",reason="Expired"} 1"#))
        }
    }
}
