import APNS
import CStoreFaults
import Envelope
import Networking
import Platform
import PushStore
import PushStorePattern
import ServiceParts
import TestSupport
import Testing

@testable import APNSSimulator
@testable import PushService

/// From the outbox to APNs and back, with a real store and a simulator behind TLS.
struct DispatcherTests {
    @Test func `what is accepted by APNs is accepted in the outbox, with one line in the log and counted`() async throws
    {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        let token = try await site.register("one", store)
        let ids = try await site.enqueue(try (1...3).map { try site.entry($0, to: "one") }, store)
        await site.wake(dispatcher)
        try await site.until(ids, store) { $0 == .accepted }
        #expect(site.events.pushes == (1...3).map { StorePattern.apnsID($0) })
        #expect(site.log.count(#""event":"attempt""#) == 3 && site.log.count(#""status":200"#) == 3)
        #expect(!site.log.all.contains { $0.contains(token.hex) })
        let bytes = dispatcher.context.metrics.withLock { metrics in
            var text: [UInt8] = []
            metrics.append(to: &text)
            return text
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#"sealedpush_outcomes_total{topic="com.example.chat",reason="Accepted"} 3"#))
        let counts = await site.loop.run { dispatcher.ledger.todayByApp[DispatchSite.bundleID] }
        #expect(counts?.accepted == 3 && counts?.sent == 3)
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `a broadcast of 5,000 whose answers do not come leaves the way free for a call`() async throws {
        let limits = #"{"in-flight": 64, "push-burst-of-device": 1000, "pushes-per-minute-of-device": 60000}"#
        let site = try await DispatchSite(limits: limits)
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        // Five devices, and a sixth for the call.
        for number in 0..<6 { try await site.register("d\(number)", store) }
        // A connection takes more than one push at a time after its first success.
        let proof = try await site.enqueue([try site.entry(9_998, to: "d5")], store)
        await site.wake(dispatcher)
        try await site.until(proof, store) { $0 == .accepted }
        let core = site.simulator.core
        await core.loop.run {
            for device in 1...5 {
                var rule = InjectionRule(.request(.silence(isProcessed: true)))
                rule.device = device
                core.value.faults.add(rule)
            }
        }
        _ = try await site.enqueue(
            try (1...5_000).map { try site.entry($0, to: "d\($0 % 5)", lane: .background) },
            store
        )
        await site.wake(dispatcher)
        // Half of the in-flight limit.
        await site.until { site.events.pushes.count == 1 + 32 }
        let call = try await site.enqueue([try site.entry(9_999, to: "d5", lane: .urgent)], store)
        await site.wake(dispatcher)
        try await site.until(call, store) { $0 == .accepted }
        #expect(site.events.pushes.firstIndex(of: StorePattern.apnsID(9_999)) == 33, "the next of all that go out")
        await dispatcher.drain(within: .zero)
        await store.close()
    }

    @Test func `a 410 deletes what was registered before its timestamp, and keeps what was registered since`()
        async throws
    {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        let gone = try await site.register("gone", store)
        let back = try await site.simulator.enrol(site.topic)
        for token in [gone, back] { await site.simulator.unregister(token) }
        site.clock.advance(milliseconds: 10_000)
        try await site.register("back", store, token: back, secondsAgo: 0)
        let ids = try await site.enqueue([try site.entry(1, to: "gone"), try site.entry(2, to: "back")], store)
        await site.wake(dispatcher)
        try await site.until(ids, store) { $0 == .dead(.undeliverable) }
        await dispatcher.drain(within: .seconds(600))
        #expect(try await site.lookup("gone", store) == .missing)
        guard case .found(let kept)? = try await site.lookup("back", store) else {
            Issue.record("it was registered since")
            return
        }
        #expect(kept.quarantine == nil)
        await store.close()
    }

    @Test func `a bad token is set aside and not deleted, and nothing more goes to it`() async throws {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("bad", store, token: try DeviceToken(bytes: [UInt8](repeating: 7, count: 32)))
        let first = try await site.enqueue([try site.entry(1, to: "bad")], store)
        await site.wake(dispatcher)
        try await site.until(first, store) { $0 == .dead(.rejected) }
        while true {
            if case .found(let device)? = try await site.lookup("bad", store), device.quarantine == .badToken { break }
            await Task.yield()
        }
        let second = try await site.enqueue([try site.entry(2, to: "bad")], store)
        await site.wake(dispatcher)
        try await site.until(second, store) { $0 == .dead(.undeliverable) }
        #expect(site.events.rejections == [.badDeviceToken])
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `a feedback service's tokens are deleted, at the start and a day later`() async throws {
        let site = try await DispatchSite(hasFeedback: true)
        let store = try site.openStore()
        let core = site.simulator.core
        let topic = site.topic
        let tokens = [try await site.register("one", store), try await site.register("two", store)]
        let dispatcher = try site.dispatcher(store)
        for (name, token) in zip(["one", "two"], tokens) {
            await core.loop.run { core.value.legacy.deliveryDidFail(token, topic) }
            var visitCount = site.log.count(#""event":"feedback""#) + 1
            if name == "one" { try await dispatcher.start(try site.plan()) }
            if name == "two" { await site.advance(seconds: 86_400, dispatcher) }
            while true {
                await site.until { [visitCount] in site.log.count(#""event":"feedback""#) >= visitCount }
                if try await site.lookup(name, store) == .missing { break }
                // A starved machine may have ended the run.
                visitCount += 1
                await site.advance(seconds: 86_400, dispatcher)
            }
        }
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `after a 503 it is tried again when its time has come, with the same apns-id`() async throws {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        await site.inject(.request(.rejected(.serviceUnavailable)), count: 1)
        let first = try await site.enqueue([try site.entry(1, to: "one")], store)
        await site.wake(dispatcher)
        while try await store.attempts(first[0], tenant: site.tenant).isEmpty { await Task.yield() }
        // The middle of the random 15 to 30 seconds.
        #expect(
            try await store.entries(first, tenant: site.tenant)[0]?.due
                == site.clock.now.advanced(by: .milliseconds(22_500))
        )
        // The flow wakes for it, instead of finding it in its next poll a second later.
        let lane = Lane.normal.index
        #expect(await site.loop.run { dispatcher.flow.waiting[lane].retriesAt } == 22_500_000_000)
        await site.advance(seconds: 22, dispatcher)
        let second = try await site.enqueue([try site.entry(2, to: "one")], store)
        await site.wake(dispatcher)
        try await site.until(second, store) { $0 == .accepted }
        #expect(try await site.states(first, store) == [.queued])
        await site.advance(seconds: 1, dispatcher)
        try await site.until(first, store) { $0 == .accepted }
        #expect(site.events.pushes == [1, 2, 1].map { StorePattern.apnsID($0) })
        #expect(try await store.attempts(first[0], tenant: site.tenant).map(\.status) == [503, 200])
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test(arguments: [true, false])
    func `what is tried again does not come behind a newer one that it would replace`(_ isShared: Bool) async throws {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        await site.inject(.request(.rejected(.serviceUnavailable)), count: 1)
        var entries = [try site.entry(1, to: "one"), try site.entry(2, to: "one")]
        if isShared { for index in entries.indices { entries[index].collapseID = try CollapseID("talk") } }
        let first = try await site.enqueue([entries[0]], store)
        await site.wake(dispatcher)
        while try await store.attempts(first[0], tenant: site.tenant).isEmpty { await Task.yield() }
        let second = try await site.enqueue([entries[1]], store)
        await site.wake(dispatcher)
        try await site.until(second, store) { $0 == .accepted }
        await site.advance(seconds: 30, dispatcher)
        try await site.until(first, store) { $0 == (isShared ? .dead(.superseded) : .accepted) }
        #expect(site.events.pushes == (isShared ? [1, 2] : [1, 2, 1]).map { StorePattern.apnsID($0) })
        // It is counted when the loop learns that it is on the disk; a drain waits for that.
        await dispatcher.drain(within: .seconds(600))
        let count = dispatcher.context.metrics.withLock { metrics in
            metrics.counts.reduce(0) { $0 + $1.outcomes[ServiceMetrics.index(ServiceMetrics.Outcome.superseded)] }
        }
        #expect(count == (isShared ? 1 : 0))
        await store.close()
    }

    @Test func `an hour that the clock is set back adds nothing to a wait (abuse case 98)`() async throws {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        for name in ["one", "two"] { try await site.register(name, store) }
        await site.inject(.request(.rejected(.serviceUnavailable)), count: 1)
        let first = try await site.enqueue([try site.entry(1, to: "one")], store)
        await site.wake(dispatcher)
        while try await store.attempts(first[0], tenant: site.tenant).isEmpty { await Task.yield() }
        site.clock.setBack(milliseconds: 3_600_000)
        await site.advance(seconds: 30, dispatcher)
        // It has waited longer than the other one, and goes out first.
        let second = try await site.enqueue([try site.entry(2, to: "two")], store)
        await site.wake(dispatcher)
        try await site.until(second, store) { $0 == .accepted }
        #expect(site.events.pushes.count { $0 == StorePattern.apnsID(1) } == 2)
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `a credential that is refused parks what waits and is told once; a reload sends all of it`() async throws
    {
        let site = try await DispatchSite(
            limits: #"{"push-burst-of-device": 1000}"#,
            keyPEM: ThrowawayKeys.secondPEM
        )
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        let first = try await site.enqueue([try site.entry(1, to: "one")], store)
        await site.wake(dispatcher)
        try await site.until(first, store) { $0 == .parked }
        // More than the few that go first after a reload: the rest follows once one of those was accepted.
        let rest = try await site.enqueue(try (2...40).map { try site.entry($0, to: "one") }, store)
        await site.wake(dispatcher)
        try await site.until(rest, store) { $0 == .parked }
        #expect(site.events.rejections == [.invalidProviderToken])
        #expect(site.log.count(#""event":"suspended""#) == 1)
        #expect(dispatcher.context.metrics.withLock { $0.suspensionCount } == 1)
        // After 15 minutes one goes out as a probe.
        await site.advance(seconds: 900, dispatcher)
        await site.until { site.events.rejections.count == 2 }
        try await site.until(first + rest, store) { $0 == .parked }
        #expect(site.log.count(#""event":"suspended""#) == 1)
        _ = try site.folder.makeFile("key.p8", ThrowawayKeys.firstPEM)
        try await dispatcher.reload(try site.plan())
        try await site.until(first + rest, store) { $0 == .accepted }
        #expect(site.events.rejections.count == 2)
        // An attempt is only what Apple has seen.
        for id in rest { #expect(try await store.attempts(id, tenant: site.tenant).map(\.status) == [200]) }
        #expect(try await store.attempts(first[0], tenant: site.tenant).map(\.status) == [403, 403, 200])
        #expect(dispatcher.context.metrics.withLock { $0.suspensionCount } == 0)
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test(arguments: [PushType.alert, .complication, .fileprovider])
    func `what was parked comes back, under whatever topic its push type has`(_ pushType: PushType) async throws {
        let site = try await DispatchSite(keyPEM: ThrowawayKeys.secondPEM)
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        let ids = try await site.enqueue([try site.entry(1, to: "one", pushType: pushType)], store)
        await site.wake(dispatcher)
        try await site.until(ids, store) { $0 == .parked }
        _ = try site.folder.makeFile("key.p8", ThrowawayKeys.firstPEM)
        try await dispatcher.reload(try site.plan())
        try await site.until(ids, store) { $0 != .parked }
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `after an end in the middle the next process sends what had no answer, with the same apns-id`()
        async throws
    {
        let site = try await DispatchSite(limits: #"{"in-flight": 32, "push-burst-of-device": 1000}"#)
        var store = try site.openStore()
        var dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        let core = site.simulator.core
        await core.loop.run {
            var rule = InjectionRule(.request(.silence(isProcessed: true)))
            rule.after = 20
            core.value.faults.add(rule)
        }
        let ids = try await site.enqueue(try (1...100).map { try site.entry($0, to: "one") }, store)
        await site.wake(dispatcher)
        // Seven eighths of 32 have no answer.
        await site.until { site.events.pushes.count == 20 + 28 }
        await dispatcher.drain(within: .zero)
        await store.close()
        await core.loop.run { core.value.faults.removeAll() }
        store = try site.openStore()
        #expect(store.openingReport.interruptedCount >= 28)
        dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        await site.wake(dispatcher)
        try await site.until(ids, store) { $0 == .accepted }
        #expect(Set(site.events.pushes) == Set((1...100).map { StorePattern.apnsID($0) }))
        #expect(site.events.pushes.count <= 148, "only what had no answer, or whose answer was not yet written down")
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `a disk that is full when answers come loses none, and nothing goes out twice`() async throws {
        let name = "dispatch-full"
        let faults = unsafe try #require(unsafe store_faults_create(name))
        defer { unsafe store_faults_destroy(faults) }
        let disk = UInt(bitPattern: faults)
        let site = try await DispatchSite(limits: #"{"in-flight": 16, "push-burst-of-device": 1000}"#)
        let store = try site.openStore(fileSystem: name)
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        try await site.connect(dispatcher)
        let ids = try await site.enqueue(try (1...50).map { try site.entry($0, to: "one") }, store)
        // This runs before the answer is sent.
        site.events.setHook { event in
            guard case .accepted = event, let faults = unsafe OpaquePointer(bitPattern: disk) else { return }
            unsafe store_faults_fill(faults, 1)
        }
        await site.wake(dispatcher)
        await site.until { dispatcher.flow.failureCount >= 1 && !dispatcher.flow.answered.isEmpty }
        #expect(store.health == .full)
        await site.advance(seconds: 1, dispatcher)
        // A write under way would fail after the clock's last step, and wait for another.
        await site.until { dispatcher.flow.failureCount >= 2 && dispatcher.flow.finishesUnderWay == 0 }
        // Seven eighths of 16 were marked before the disk was full.
        #expect(site.events.pushes.count <= 14, "nothing new goes out")
        site.events.setHook { _ in }
        unsafe store_faults_fill(faults, 0)
        await site.advance(seconds: 10, dispatcher)
        try await site.until(ids, store) { $0 == .accepted }
        #expect(site.events.pushes.count == 50 && Set(site.events.pushes).count == 50)
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }
}
