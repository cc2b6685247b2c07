import Envelope
import Foundation
import Keys
import Opening
import Platform
import Sealing
import TestSupport
import Testing

@testable import NotificationCore

struct AppDeviceStartTests {
    @Test func `the first launch is a new identity, and is said until the relay has its bundle (protocol v1, rule 15)`()
        throws
    {
        let handset = try Handset(seed: 101)
        let first = try handset.open()
        #expect(first.isNewIdentity)
        let again = try handset.open()
        #expect(again.isNewIdentity)
        #expect(again.device.identity == first.device.identity)
        #expect(try again.device.needsPublication(now: handset.now))
        try handset.publish(again.device)
        #expect(try handset.open().isContinued)
        #expect(try handset.open().device.bundle().bytes == handset.published)
        #expect(try !again.device.needsPublication(now: handset.now))
    }

    @Test func `a window is lost with everything in it, and every prekey goes (protocol v1, rule 15)`() throws {
        let handset = try Handset(seed: 102)
        let device = try handset.launch()
        let push = try handset.push(Message(body: "Once"), to: device)
        #expect(handset.show(push).body == "Once")
        try FileManager.default.removeItem(atPath: handset.windowPath)
        // An extension that runs before the app shows nothing as new.
        #expect(handset.show(push).outcome == .storeUnavailable)
        let start = try handset.open()
        #expect(start.loss == .replayStoreLost)
        #expect(start.device.identity == device.identity)
        #expect(handset.show(push).outcome == .staleKey)
        #expect(try start.device.bundle().epoch > Handset.start.milliseconds)
    }

    @Test(arguments: [1, 2, 5])
    func `a window out of a backup is told from the one it replaces (protocol v1, rule 15)`(_ launchCount: Int) throws {
        let handset = try Handset(seed: 103)
        let device = try handset.launch()
        let old = try handset.window
        let push = try handset.push(Message(body: "Once"), to: device)
        for _ in 0..<launchCount { #expect(try handset.open().isContinued) }
        #expect(handset.show(push).body == "Once")
        try handset.putWindow(old)
        #expect(handset.show(push).outcome == .storeUnavailable)
        #expect(try handset.open().loss == .replayStoreLost)
        #expect(handset.show(push).outcome == .staleKey)
    }

    @Test(arguments: [0, 64, 4_096 * 2 + 32, 4_096 * 60 + 16, 4_096 * 975 + 31])
    func `a damaged window is replaced wherever the damage is (protocol v1, rule 15)`(_ offset: Int) throws {
        let handset = try Handset(seed: 104)
        _ = try handset.launch()
        var bytes = try handset.window
        bytes[offset] ^= 0xFF
        try handset.putWindow(bytes)
        #expect(try handset.open().loss == .replayStoreLost)
        #expect(try handset.window != bytes)
    }

    @Test func `a folder in the window's place is a window that was lost, and heals (protocol v1, rule 15)`() throws {
        let handset = try Handset(seed: 109)
        _ = try handset.launch()
        try FileManager.default.removeItem(atPath: handset.windowPath)
        try FileManager.default.createDirectory(atPath: handset.windowPath, withIntermediateDirectories: false)
        let start = try handset.open()
        #expect(start.loss == .replayStoreLost)
        try handset.publish(start.device)
        let push = try handset.push(Message(body: "Again"), to: start.device)
        #expect(handset.show(push).body == "Again")
        #expect(handset.show(push).outcome == .replay)
    }

    /// The window's generation is raised before the ring's copy: an app that is ended in between has lost nothing.
    @Test func `a launch that ends between window and ring costs nothing (protocol v1, rule 15)`() throws {
        let handset = try Handset(seed: 105)
        let device = try handset.launch()
        for _ in 0..<3 { _ = try ReplayWindow(folder: handset.settings.containerPath).advanceGeneration() }
        #expect(handset.show(try handset.push(Message(body: "Shown"), to: device)).body == "Shown")
        #expect(try handset.open().isContinued)
        #expect(handset.show(try handset.push(Message(body: "Also"), to: device)).body == "Also")
    }

    /// One of two at once must not take the other's raised generation for a restored window.
    @Test func `launches at the same time lose nothing (protocol v1, rule 15)`() async throws {
        let handset = try Handset(seed: 106)
        try handset.publish(try handset.open().device)
        let (settings, now) = (handset.settings, handset.now)
        let continued = try await withThrowingTaskGroup(of: Bool.self) { group in
            for seed in 0..<8 as Range<UInt64> {
                group.addTask {
                    var random = SeededRandom(seed: seed)
                    return try AppDevice.open(settings, now: now, random: &random).isContinued
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(continued == [Bool](repeating: true, count: 8))
        #expect(try handset.open().device.bundle().bytes == handset.published)
    }

    @Test(arguments: [
        ("group/sealedpush-keys/ring.secret", AppDevice.Loss.prekeysMissing),
        ("group/sealedpush-keys", .prekeysMissing),
    ])
    func `prekeys that are gone are made anew under the same identity`(_ name: String, _ loss: AppDevice.Loss) throws {
        let handset = try Handset(seed: 107)
        let device = try handset.launch()
        try FileManager.default.removeItem(atPath: handset.folder.path(name))
        // The last epoch is lost with the ring; the time replaces it.
        handset.pass(.milliseconds(1))
        let start = try handset.open()
        #expect(start.loss == loss)
        #expect(start.device.identity == device.identity)
        try handset.publish(start.device)
        #expect(handset.show(try handset.push(Message(body: "Again"), to: start.device)).body == "Again")
    }

    @Test func `without the private folder the device is a new one`() throws {
        let handset = try Handset(seed: 108)
        let device = try handset.launch()
        try FileManager.default.removeItem(atPath: handset.folder.path("private"))
        let start = try handset.open()
        #expect(start.isNewIdentity)
        #expect(start.device.identity != device.identity)
        // The old instance is invalid, and its window is another identity's.
        #expect(refusal { () throws(AppDeviceError) in _ = try device.bundle() } == .replayStoreLost)
    }

    @Test func `before the first unlock nothing is made and nothing is lost (protocol v1, rule 15)`() throws {
        let handset = try Handset(seed: 109)
        let device = try handset.launch()
        handset.lock.set(.beforeFirstUnlock)
        #expect(refusal { () throws(AppDeviceError) in _ = try handset.open() } == .locked)
        handset.lock.set(.unlocked)
        let start = try handset.open()
        #expect(start.isContinued)
        #expect(start.device.identity == device.identity)
    }

    @Test func `a window that goes while the app runs is a typed error`() throws {
        let handset = try Handset(seed: 110)
        let device = try handset.launch()
        try FileManager.default.removeItem(atPath: handset.windowPath)
        #expect(
            refusal { () throws(AppDeviceError) in _ = try device.destroyDue() }
                == .replayStoreLost
        )
    }

    @Test func `a device without contacts has an empty list, and a damaged one is not replaced`() throws {
        let handset = try Handset(seed: 111)
        let device = try handset.open().device
        #expect(try device.contacts().count == 0)
        try WholeFile.write([0xFF], to: handset.folder.path("group/sealedpush.senders"), access: .ownerOnly)
        _ = try handset.open()
        #expect(refusal { () throws(AppDeviceError) in _ = try device.contacts() } == .contactsDamaged)
        try device.setContacts(ContactList(unknownSenders: .refuse))
        #expect(try device.contacts() == ContactList(unknownSenders: .refuse))
    }

    @Test func `a device that was erased keeps nothing of its person`() throws {
        let handset = try Handset(seed: 112, usesUnlockedClass: true)
        let device = try handset.launch()
        _ = try device.enableWebPush()
        handset.lock.set(.locked)
        #expect(handset.show(try handset.push(Message(body: "Locked"), to: device, .unlocked)).outcome == .locked)
        handset.lock.set(.unlocked)
        try AppDevice.erase(handset.settings)
        #expect(try handset.folder.files("group") == ["replay-window-1"])
        #expect(try handset.folder.files("private") == ["contacts.lock", "opening.lock", "ring.lock"])
        let start = try handset.open()
        #expect(start.isNewIdentity && start.device.identity != device.identity)
    }

    @Test func `a device that never was is erased without an error`() throws {
        let handset = try Handset(seed: 114)
        try AppDevice.erase(handset.settings)
        #expect(try handset.open().isNewIdentity)
    }

    @Test func `every failure has one word for the app`() {
        let full: [any AppDeviceFailure] = [
            ContainerError.full, ReplayWindowError.full, FileError.system(call: "write", path: "/p", code: ENOSPC),
            KeyRingError.store(.system(call: "write", code: EDQUOT)),
        ]
        #expect(full.map(\.appDeviceError) == [AppDeviceError](repeating: .storageFull, count: full.count))
        let locked: [any AppDeviceFailure] = [
            ContainerError.locked, ReplayWindowError.locked, FileError.system(call: "open", path: "/p", code: EACCES),
            KeyRingError.store(.locked), KeyRingError.lock(code: EPERM),
        ]
        #expect(locked.map(\.appDeviceError) == [AppDeviceError](repeating: .locked, count: locked.count))
        let damaged: [any AppDeviceFailure] = [
            ContainerError.damaged, FileError.empty(path: "/p"), KeyRingError.identityDamaged,
            KeyRingError.store(.damaged),
        ]
        #expect(damaged.map(\.appDeviceError) == [AppDeviceError](repeating: .damaged, count: damaged.count))
        #expect(KeyRingError.lock(code: ENOENT).appDeviceError == .system(call: "flock", code: ENOENT))
        #expect(ReplayWindowError.damaged.appDeviceError == .replayStoreLost)
    }

    @Test func `another app's settings are refused, and change nothing`() throws {
        let handset = try Handset(seed: 115)
        let device = try handset.launch()
        let other = AppDevice.Settings(
            topic: try BundleID("com.example.other"),
            containerPath: handset.settings.containerPath,
            privatePath: handset.settings.privatePath,
            display: DisplayPolicy(texts: Handset.texts)
        )
        #expect(refusal { () throws(AppDeviceError) in _ = try AppDevice.open(other) } == .otherTopic)
        #expect(try handset.open().isContinued)
        #expect(try device.bundle().bytes == handset.published)
    }

    @Test func `the identity's private half is nowhere in the shared container`() throws {
        let handset = try Handset(seed: 113)
        _ = try handset.launch()
        #expect(try handset.folder.files("group").allSatisfy { !$0.contains("identity") })
        #expect(try handset.folder.files("private").contains("identity/identity.secret"))
    }
}

extension TemporaryFolder {
    fileprivate func files(_ name: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path(name)).filter { item in
            var isFolder: ObjCBool = false
            _ = unsafe FileManager.default.fileExists(atPath: path(name + "/" + item), isDirectory: &isFolder)
            return !isFolder.boolValue
        }
        .sorted()
    }
}
