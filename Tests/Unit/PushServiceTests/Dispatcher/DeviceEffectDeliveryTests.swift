import APNS
import CStoreFaults
import Envelope
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

    @Test func `bad tokens of Live Activities end alone, and cast no doubt on the environment`() async throws {
        let site = try await DispatchSite()
        let store = try site.openStore()
        let dispatcher = try site.dispatcher(store)
        try await dispatcher.start(try site.plan())
        var entries: [NewEntry] = []
        // More than make an environment suspected.
        for name in ["one", "two"] {
            var registration = Device.Registration(
                key: DeviceKey(tenant: site.tenant, device: try DeviceID(name)),
                topic: site.topic,
                environment: .sandbox,
                token: try await site.simulator.enrol(site.topic),
                bundle: []
            )
            for number in 1...12 as ClosedRange<UInt8> {
                let purpose = try #require(TokenPurpose(.liveActivity, name: "order-\(number)"))
                let bytes = Array(name.utf8) + [UInt8](repeating: number, count: 32)
                registration.extraTokens.append(ExtraToken(purpose, try DeviceToken(bytes: bytes)))
                var entry = try site.entry(UInt64(entries.count + 1), to: name, pushType: .liveactivity)
                entry.payload = Array(#"{"aps":{"event":"end","timestamp":7,"content-state":{}}}"#.utf8)
                (entry.collapseID, entry.purpose) = (nil, purpose)
                entries.append(entry)
            }
            _ = try await store.put([registration], now: site.clock.now.advanced(by: .seconds(-7_200)))
        }
        let ids = try await site.enqueue(entries, store)
        await site.wake(dispatcher)
        try await site.until(ids, store) { $0.isFinal }
        #expect(site.events.rejections == [Reason](repeating: .badDeviceToken, count: ids.count))
        await site.advance(seconds: 10, dispatcher)
        for name in ["one", "two"] {
            while true {
                guard case .found(let device)? = try await site.lookup(name, store) else {
                    Issue.record("the device is gone")
                    break
                }
                #expect(device.quarantine == nil)
                if device.extraTokens.isEmpty { break }
                await Task.yield()
            }
        }
        #expect(site.log.count("environment-suspected") == 0 && site.log.count("suspended") == 0)
        await dispatcher.drain(within: .seconds(600))
        await store.close()
    }
}
