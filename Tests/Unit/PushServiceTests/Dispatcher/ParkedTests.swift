import APNS
import CStoreFaults
import Envelope
import Platform
import PushStore
import TestSupport
import Testing

@testable import APNSSimulator
@testable import PushService

/// Parking that reaches the disk after its suspension has ended. With a store and a simulator.
struct ParkedTests {
    @Test func `what the disk has as parked only after a reload goes out all the same`() async throws {
        let name = "dispatch-parked"
        let faults = unsafe try #require(unsafe store_faults_create(name))
        defer { unsafe store_faults_destroy(faults) }
        let disk = UInt(bitPattern: faults)
        let site = try await DispatchSite()
        let store = try site.openStore(fileSystem: name)
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        try await site.register("one", store)
        await site.inject(.request(.rejected(.topicDisallowed)), count: 1)
        // This runs before the answer is sent.
        site.events.setHook { event in
            guard case .injected = event, let faults = unsafe OpaquePointer(bitPattern: disk) else { return }
            unsafe store_faults_fill(faults, 1)
        }
        let ids = try await site.enqueue([try site.entry(1, to: "one")], store)
        await site.wake(dispatcher)
        await site.until { dispatcher.flow.failureCount >= 1 && dispatcher.callsUnderWay == 0 }
        #expect(dispatcher.context.metrics.withLock { $0.suspensionCount } == 1)
        site.events.setHook { _ in }
        // It finds nothing parked.
        try await dispatcher.reload(try site.plan())
        await site.until { dispatcher.callsUnderWay == 0 }
        unsafe store_faults_fill(faults, 0)
        await site.advance(seconds: 10, dispatcher)
        try await site.until(ids, store) { $0 == .accepted }
        #expect(try await store.attempts(ids[0], tenant: site.tenant).map(\.status) == [400, 200])
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }
}
