import APNS
import APNSSimulator
import Platform
import Primitives
import PushStore
import TestSupport
import Testing

@testable import PushService

/// An app that its credential may not push to: it costs the credential's other apps nothing, and a client that is
/// refused again and again stops for all of them. With a store and a simulator.
struct DisallowedAppTests {
    /// A site whose key is for another app.
    private static func site() async throws -> DispatchSite {
        try await DispatchSite(limits: #"{"push-burst-of-device": 1000}"#) { configuration in
            configuration.keys = [
                SigningKey(
                    id: try KeyID(DispatchSite.keyID),
                    team: try TeamID(DispatchSite.teamID),
                    publicKey: try ThrowawayKeys.first().publicKey(),
                    bundleIDs: [try Topic("com.example.other")]
                )
            ]
        }
    }

    @Test func `one refusal is enough: what waits for its turn is taken back and parked, with no attempt`() async throws
    {
        let site = try await Self.site()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        let ids = try await site.enqueue(try (1...40).map { try site.entry($0, to: "one") }, store)
        await site.wake(dispatcher)
        try await site.until(ids, store) { $0 == .parked }
        #expect(site.events.rejections == [.topicDisallowed], "until its first answer a connection takes one push")
        var attemptCount = 0
        for id in ids { attemptCount += try await store.attempts(id, tenant: site.tenant).count }
        #expect(attemptCount == 1)
        #expect(site.log.count(#""event":"attempt""#) == 1, "a line for each attempt, and none for what is none")
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `after a restart a few of what is parked go to see, and the rest stays where it is`() async throws {
        let site = try await Self.site()
        var store = try site.openStore()
        var dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        // More than the rest gets in one step.
        let ids = try await site.enqueue(try (1...600).map { try site.entry($0, to: "one") }, store)
        await site.wake(dispatcher)
        try await site.until(ids, store) { $0 == .parked }
        await dispatcher.drain(within: .seconds(600))
        await store.close()
        store = try site.openStore()
        dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        await site.until { site.events.rejections.count >= 2 }
        try await site.until(ids, store) { $0 == .parked }
        // Longer than the rest waits for an answer: there was one, and it stays.
        await site.advance(seconds: 61, dispatcher)
        await site.advance(seconds: 61, dispatcher)
        try await site.until(ids, store) { $0 == .parked }
        #expect(site.events.rejections.count == 2)
        // A few for each of the app's environments: the environment of a parked notification is unknown, and all of
        // them may have left before the first answer.
        let appCount = site.settings.configuration.tenants.flatMap(\.apps).count
        let takenBackCount = dispatcher.context.metrics.withLock { metrics in
            metrics.counts.reduce(0) { $0 + $1.outcomes[ServiceMetrics.index(ServiceMetrics.Outcome.suspended)] }
        }
        #expect(1 + takenBackCount <= appCount * ReleaseQueue.fewCountMax)
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }
}
