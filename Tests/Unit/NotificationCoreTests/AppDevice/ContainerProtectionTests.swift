#if os(Linux)
import Envelope
import Foundation
import Keys
import Opening
import Platform
import Primitives
import Sealing
import TestSupport
import Testing

@testable import NotificationCore

/// The data protection class of every file of a phone, where only the file's own class counts.
struct ContainerProtectionTests {
    /// A phone after every act that makes a file: a launch, an app that sets everything, and pushes of every kind.
    private func usedPhone() throws -> Handset {
        let handset = try Handset(seed: 500, usesUnlockedClass: true, keepsReceipts: true)
        let device = try handset.launch()
        _ = try device.rotateIfDue(token: [1], now: handset.now, random: &handset.random)
        try handset.publish(device)
        try device.setBadge(3)
        try device.setAvatar([1], of: handset.sender.publicKey)
        try device.setGroup("Compilers", picture: [1], threadID: "t")
        try device.setPreview(.nameOnly)
        try device.setMuted([MutedThread(threadID: "t")])
        try device.takeMessages(now: handset.now)
        _ = try device.enableWebPush(random: &handset.random)
        let endpoint = EndpointID(bytes: Array(0..<16))
        _ = try device.makeWebPushKeys(for: endpoint, server: "a", random: &handset.random)
        handset.show(try handset.push(Message(body: "shown"), to: device), requestID: "1")
        var unknown = try handset.push(Message(body: "?"), to: device)
        unknown.changePrekey()
        handset.show(unknown)
        handset.lock.set(.locked)
        handset.show(try handset.push(Message(body: "kept"), to: device, .unlocked))
        handset.lock.set(.unlocked)
        handset.container.outcomeCounters.add(.opened)
        var random = SeededRandom(seed: 1)
        let capability = try #require(ReceiptCapability(rawRepresentation: random.bytes(count: 16)))
        let receipt = DeliveryReceipt(capability: capability)
        try handset.container.receipts.add(receipt, now: handset.now)
        return handset
    }

    private static func classes(of handset: Handset) throws -> [String: FileProtection.Found] {
        var classes: [String: FileProtection.Found] = [:]
        for root in ["group", "private"] {
            classes[root] = FileProtection.find(at: handset.folder.path(root))
            for name in try FileManager.default.subpathsOfDirectory(atPath: handset.folder.path(root)) {
                classes[root + "/" + name] = FileProtection.find(at: handset.folder.path(root + "/" + name))
            }
        }
        return classes
    }

    @Test func `the spool has class None, and everything else that is shared opens after the first unlock`()
        throws
    {
        let classes = try Self.classes(of: usedPhone())
        for (path, found) in classes {
            switch path {
            // The system's own, whose class is the app's.
            case "group": #expect(found == .unmarked)
            // These are in the app's own folder, whose class they have.
            case "private/ring.lock", "private/opening.lock", "private/contacts.lock":
                #expect(found == .unmarked)
            case "group/sealedpush.spool": #expect(found == .marked(.always))
            default: #expect(found == .marked(.untilFirstUnlock), "\(path)")
            }
        }
        let names = Set(classes.keys.map { $0.split(separator: "/").prefix(2).joined(separator: "/") })
        #expect(
            names == [
                "group", "group/replay-window-1", "group/sealedpush-avatars", "group/sealedpush-groups",
                "group/sealedpush-endpoints", "group/sealedpush-keys",
                "group/sealedpush.badge", "group/sealedpush.foreground", "group/sealedpush.markers",
                "group/sealedpush.markers-published", "group/sealedpush.muted", "group/sealedpush.outcomes",
                "group/sealedpush.preview", "group/sealedpush.receipts", "group/sealedpush.requests",
                "group/sealedpush.senders", "group/sealedpush.spool",
                "group/sealedpush.web-push", "private", "private/contacts.lock", "private/identity",
                "private/opening.lock", "private/ring.lock", "private/token",
            ]
        )
    }

    @Test func `a launch gives the files of an earlier version their class`() throws {
        let handset = try usedPhone()
        let before = try Self.classes(of: handset)
        // As they were: a file that is removed and written again has no class.
        let names = [
            "replay-window-1", "sealedpush.senders", "sealedpush.badge", "sealedpush.outcomes", "sealedpush.spool",
        ]
        for name in names {
            let path = handset.folder.path("group/" + name)
            let bytes = try WholeFile.read(path, byteCountMax: 1 << 23)
            try WholeFile.write(bytes, to: path, access: .ownerOnly)
            #expect(FileProtection.find(at: path) == .unmarked)
        }
        _ = try handset.open()
        #expect(try Self.classes(of: handset) == before)
    }

    #if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
    @Test func `before the first unlock no identity is made and nothing is changed, and afterwards all is as it was`()
        throws
    {
        let handset = try usedPhone()
        let identity = try handset.open().device.identity
        let phone = SimulatedDevice(appGroupsPath: nil, clock: ContinuousClock(), wallClock: { 0 })
        phone.change { $0.lock = .beforeFirstUnlock }
        let before = try Self.classes(of: handset).keys.sorted()
        #expect(throws: AppDeviceError.locked) { try phone.run { _ = try handset.open() } }
        #expect(try Self.classes(of: handset).keys.sorted() == before)
        phone.change { $0.lock = .unlocked }
        let start = try phone.run { try handset.open() }
        #expect(start.isContinued)
        #expect(start.device.identity == identity)
    }
    #endif
}

extension [AnyHashable: Any] {
    /// Changes the prekey: its 8 bytes begin in the third character.
    fileprivate mutating func changePrekey() {
        guard var characters = (self["sealed"] as? String).map(Array.init) else { return }
        characters[8] = characters[8] == "B" ? "C" : "B"
        self["sealed"] = String(characters)
    }
}
#endif
