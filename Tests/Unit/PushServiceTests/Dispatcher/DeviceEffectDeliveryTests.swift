import APNS
import CStoreFaults
import Networking
import PushStore
import TestSupport
import Testing

@testable import APNSSimulator
@testable import PushService

/// Effects of APNs' answers on a device, applied when the disk takes them. With a store and a simulator behind TLS.
struct DeviceEffectDeliveryTests {
    @Test(arguments: [Reason.badDeviceToken, .unregistered])
    func `what the disk did not take of a device is handed in again`(_ reason: Reason) async throws {
        let name = "dispatch-device"
        let faults = unsafe try #require(unsafe store_faults_create("\(name)-\(reason.rawValue)"))
        defer { unsafe store_faults_destroy(faults) }
        let disk = UInt(bitPattern: faults)
        let site = try await DispatchSite()
        let store = try site.openStore(fileSystem: "\(name)-\(reason.rawValue)")
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        if reason == .unregistered {
            await site.simulator.unregister(try await site.register("one", store))
            site.clock.advance(milliseconds: 10_000)
        } else {
            try await site.register("one", store, token: try DeviceToken(bytes: [UInt8](repeating: 7, count: 32)))
        }
        // This runs before the answer is sent.
        site.events.setHook { event in
            guard case .rejected = event, let faults = unsafe OpaquePointer(bitPattern: disk) else { return }
            unsafe store_faults_fill(faults, 1)
        }
        _ = try await site.enqueue([try site.entry(1, to: "one")], store)
        await site.wake(dispatcher)
        await site.until { dispatcher.flow.failureCount >= 1 && dispatcher.callsUnderWay == 0 }
        #expect(site.events.rejections == [reason])
        try #require(await site.loop.run { !dispatcher.deviceEffects.isEmpty })
        unsafe store_faults_fill(faults, 0)
        await site.advance(seconds: 10, dispatcher)
        while true {
            let found = try await site.lookup("one", store)
            if reason == .unregistered, found == .missing { break }
            if case .found(let device)? = found, device.quarantine == .badToken { break }
            await Task.yield()
        }
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }
}
