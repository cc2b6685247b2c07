import APNS
import Networking
import Platform
import PushStore
import TestSupport
import Testing

@testable import APNSSimulator
@testable import PushService

/// Many bad tokens of an app point at its environment: its pushes wait for a reload or a successful probe. With a store
/// and a simulator behind TLS.
struct SuspectedEnvironmentTests {
    @Test func `when many tokens of an app fail the environment is suspected, and its pushes wait`() async throws {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("good", store)
        let count = UInt64(TokenQuarantine.failureCountMin)
        for number in 1...count {
            let token = try DeviceToken(bytes: [UInt8](repeating: UInt8(number), count: 32))
            try await site.register("bad\(number)", store, token: token)
        }
        let bad = try await site.enqueue(try (1...count).map { try site.entry($0, to: "bad\($0)") }, store)
        await site.wake(dispatcher)
        try await site.until(bad, store) { $0 == .dead(.rejected) }
        #expect(site.log.count(#""event":"environment-suspected""#) == 1)
        let good = try await site.enqueue([try site.entry(99, to: "good")], store)
        await site.wake(dispatcher)
        try await site.until(good, store) { $0 == .parked }
        #expect(site.events.pushes.isEmpty)
        // A reload says that it is mended.
        try await dispatcher.reload(try site.plan())
        try await site.until(good, store) { $0 == .accepted }
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `tokens that APNs took before go on while strangers register bad ones, also after a restart`()
        async throws
    {
        let site = try await DispatchSite()
        var store = try site.openStore()
        let first = try site.dispatcher(store)
        try await first.start(try site.plan())
        for name in ["known", "also-known", "new"] { try await site.register(name, store) }
        let before = try await site.enqueue(
            [try site.entry(1, to: "known"), try site.entry(2, to: "also-known")],
            store
        )
        await site.wake(first)
        try await site.until(before, store) { $0 == .accepted }
        await first.drain(within: .seconds(600))
        await store.close()
        store = try site.openStore()
        guard case .found(let known)? = try await site.lookup("known", store),
            case .found(let new)? = try await site.lookup("new", store)
        else { throw StoreError.closed }
        #expect(known.isReached && !new.isReached)
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        let count = UInt64(TokenQuarantine.failureCountMin)
        for number in 1...count {
            let token = try DeviceToken(bytes: [UInt8](repeating: UInt8(number), count: 32))
            try await site.register("bad\(number)", store, token: token)
        }
        let bad = try await site.enqueue(try (1...count).map { try site.entry(100 + $0, to: "bad\($0)") }, store)
        await site.wake(dispatcher)
        try await site.until(bad, store) { $0 == .dead(.rejected) }
        #expect(site.log.count(#""event":"environment-suspected""#) == 1)
        let held = try await site.enqueue([try site.entry(3, to: "new")], store)
        let flowing = try await site.enqueue(
            [try site.entry(4, to: "known"), try site.entry(5, to: "also-known")],
            store
        )
        await site.wake(dispatcher)
        try await site.until(flowing, store) { $0 == .accepted || $0 == .parked }
        #expect(try await site.states(flowing, store) == [.accepted, .accepted])
        try await site.until(held, store) { $0 == .parked }
        // An answer for one of them says nothing of those that were never taken.
        #expect(dispatcher.context.metrics.withLock { $0.suspensionCount } == 1)
        // Another token counts as another device.
        try await site.register("known", store, token: try await site.simulator.enrol(site.topic))
        guard case .found(let changed)? = try await site.lookup("known", store) else { throw StoreError.closed }
        #expect(!changed.isReached)
        // After 15 minutes a held one goes out as a probe.
        await site.advance(seconds: 900, dispatcher)
        try await site.until(held, store) { $0 == .accepted }
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test func `a push to a reached token lifts no hold of unreached ones`() async throws {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("known", store)
        let before = try await site.enqueue([try site.entry(1, to: "known")], store)
        await site.wake(dispatcher)
        try await site.until(before, store) { $0 == .accepted }
        await site.advance(seconds: 60, dispatcher)
        while true {
            if case .found(let device)? = try await site.lookup("known", store), device.isReached { break }
            await Task.yield()
        }
        let count = UInt64(TokenQuarantine.failureCountMin)
        for number in 1...count {
            let token = try DeviceToken(bytes: [UInt8](repeating: UInt8(number), count: 32))
            try await site.register("bad\(number)", store, token: token)
        }
        let bad = try await site.enqueue(try (1...count).map { try site.entry(100 + $0, to: "bad\($0)") }, store)
        await site.wake(dispatcher)
        try await site.until(bad, store) { $0 == .dead(.rejected) }
        #expect(dispatcher.context.metrics.withLock { $0.suspensionCount } == 1)
        // An entry of unknown state could be a probe now, and there is none.
        await site.advance(seconds: 900, dispatcher)
        let flowing = try await site.enqueue([try site.entry(2, to: "known")], store)
        await site.wake(dispatcher)
        try await site.until(flowing, store) { $0 == .accepted }
        #expect(dispatcher.context.metrics.withLock { $0.suspensionCount } == 1)
        #expect(site.log.count(#""event":"resumed""#) == 0)
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }

    @Test(arguments: [true, false])
    func `after a reload, or one push that was taken, a bad token is that token's fault again`(_ isReload: Bool)
        async throws
    {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("good", store)
        for number in 1...UInt8(TokenQuarantine.failureCountMin + 1) {
            let token = try DeviceToken(bytes: [UInt8](repeating: number, count: 32))
            try await site.register("bad\(number)", store, token: token)
        }
        let bad = try await site.enqueue(
            try (1...UInt64(TokenQuarantine.failureCountMin)).map { try site.entry($0, to: "bad\($0)") },
            store
        )
        await site.wake(dispatcher)
        try await site.until(bad, store) { $0 == .dead(.rejected) }
        let good = try await site.enqueue([try site.entry(98, to: "good")], store)
        await site.wake(dispatcher)
        try await site.until(good, store) { $0 == .parked }
        if isReload {
            try await dispatcher.reload(try site.plan())
        } else {
            // One push goes out as a probe.
            await site.advance(seconds: 900, dispatcher)
        }
        try await site.until(good, store) { $0 == .accepted }
        let last = "bad\(TokenQuarantine.failureCountMin + 1)"
        let late = try await site.enqueue([try site.entry(99, to: last)], store)
        await site.wake(dispatcher)
        try await site.until(late, store) { $0 == .dead(.rejected) }
        let next = try await site.enqueue([try site.entry(100, to: "good")], store)
        await site.wake(dispatcher)
        try await site.until(next, store) { $0 == .accepted || $0 == .parked }
        #expect(try await site.states(next, store) == [.accepted])
        #expect(site.log.count(#""event":"environment-suspected""#) == 1)
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }
}
