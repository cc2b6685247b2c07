import Envelope
import Foundation
import Keys
import Opening
import Platform
import TestSupport
import Testing

@testable import NotificationCore

/// Pushes that the extension cannot open now, and its records for the app (protocol v1, rules 19 and 20).
struct UnopenedPushTests {
    @Test func `before the first unlock a push is kept and the app's words are shown (protocol v1, rule 19)`() throws {
        let handset = try Handset(seed: 150)
        let device = try handset.launch()
        let push = try handset.push(Message(body: "Early"), to: device)
        handset.lock.set(.beforeFirstUnlock)
        let content = handset.show(push)
        #expect(content.outcome == .locked)
        #expect(content.title == Handset.texts.title)
        #expect(content.body == Handset.texts.unlockNeeded)
        #expect(try handset.spooled().count == 1)
        handset.lock.set(.locked)
        #expect(try device.openSpooled(now: handset.now).map(\.body) == ["Early"])
    }

    @Test(arguments: [(62, ["before", "after"]), (63, ["after"]), (200, ["after"])])
    func `a flood before the first unlock pushes out what came before it, not what comes after (protocol v1, rule 19)`(
        _ count: Int,
        _ expected: [String]
    ) throws {
        let handset = try Handset(seed: 163)
        let device = try handset.launch()
        let pushes = try ["before", "after"].map { try handset.push(Message(body: $0), to: device) }
        var junk = pushes[0]
        let bytes = try #require((junk["sealed"] as? String).flatMap { Base64URL.decode($0.utf8) })
        handset.lock.set(.beforeFirstUnlock)
        #expect(handset.show(pushes[0]).outcome == .locked)
        for number in 0..<count {
            handset.pass(.milliseconds(1))
            // It has a message's form: only opening it shows that it is junk.
            junk["sealed"] = Base64URL.string(bytes.dropLast(2) + [UInt8(number), 0])
            #expect(handset.show(junk).outcome == .locked)
        }
        handset.pass(.milliseconds(1))
        #expect(handset.show(pushes[1]).outcome == .locked)
        #expect(try handset.spooled().count == min(count + 2, Spool.envelopeCountMax))
        handset.lock.set(.unlocked)
        #expect(try device.openSpooled(now: handset.now).map(\.body).filter { !$0.hasPrefix("You") } == expected)
        #expect(try handset.spooled().isEmpty)
    }

    #if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
    @Test func `before the first unlock a Web Push message is locked too (protocol v1, rule 19, rule 38)`() throws {
        let handset = try Handset(seed: 159)
        let device = try handset.launch()
        let subscription = try device.enableWebPush(random: &handset.random)
        let phone = SimulatedDevice(appGroupsPath: nil, clock: ContinuousClock(), wallClock: { 0 })
        phone.change { $0.lock = .beforeFirstUnlock }
        let pipeline = handset.pipeline(opensWebPush: true)
        let server = try WebPushServer(subscription)
        let record = try server.record(of: Array(#"{"title":"Server","body":"Early"}"#.utf8), seed: 1)
        let push: [AnyHashable: Any] = ["webpush": Base64URL.string(record)]
        for _ in 0..<2 {
            let content = phone.run { pipeline.content(userInfo: push, now: handset.now) }
            #expect(content.outcome == .locked)
            #expect(content.body == Handset.texts.unlockNeeded)
        }
        #expect(try handset.spooled().count == 1)
        #expect(try device.openSpooled(now: handset.now).map(\.body) == ["Early"])
        #expect(try handset.spooled().isEmpty)
        #expect(pipeline.content(userInfo: push, now: handset.now).outcome == .replay)
        // Messages for keys that are gone have no owner.
        let other = try server.record(of: Array("x".utf8), seed: 2)
        _ = phone.run { pipeline.content(userInfo: ["webpush": Base64URL.string(other)], now: handset.now) }
        #expect(try handset.spooled().count == 1)
        try device.disableWebPush()
        #expect(phone.run { pipeline.content(userInfo: push, now: handset.now) }.outcome == .notSealed)
        #expect(try device.openSpooled(now: handset.now).isEmpty)
        #expect(try handset.spooled().isEmpty)
    }
    #endif

    @Test func `a locked push that comes again is kept once (protocol v1, rule 19)`() throws {
        let handset = try Handset(seed: 151, usesUnlockedClass: true)
        let device = try handset.launch()
        let push = try handset.push(Message(body: "Locked"), to: device, .unlocked)
        handset.lock.set(.locked)
        for _ in 0..<3 { #expect(handset.show(push).outcome == .locked) }
        #expect(try handset.spooled().count == 1)
        #expect(try handset.markers().isEmpty)
    }

    @Test(arguments: ["index", "contacts", "window", "clock"])
    func `what cannot be opened for a reason that passes is kept and opened by the app (protocol v1, rule 19)`(
        _ reason: String
    ) throws {
        let handset = try Handset(seed: 157)
        let device = try handset.launch()
        handset.pass(.seconds(600))
        let push = try handset.push(Message(body: "Waits"), to: device)
        let names = ["index": "sealedpush-keys/ring.secret", "contacts": "sealedpush.senders"]
        let path = handset.folder.path("group/" + names[reason, default: "replay-window-1"])
        let bytes = try WholeFile.read(path, byteCountMax: 1 << 23)
        if reason == "clock" {
            // Without a restart confirmed time counts, and not the clock.
            handset.uptime.restart()
            handset.now = Handset.start
        } else {
            try WholeFile.write([UInt8](repeating: 0, count: bytes.count), to: path, access: .ownerOnly)
        }
        let content = handset.show(push)
        let expected: [String: Outcome] = ["window": .storeUnavailable, "clock": .clockUntrusted]
        #expect(content.outcome == expected[reason] ?? .keysUnavailable)
        #expect(content.isAppsOwn)
        #expect(try handset.spooled().count == 1)
        #expect(try reason != "window" || device.openSpooled(now: handset.now).isEmpty)
        #expect(try handset.spooled().count == 1)

        handset.now = Handset.start.advanced(by: .seconds(600))
        try WholeFile.write(bytes, to: path, access: .ownerOnly)
        #expect(try handset.open().device.openSpooled(now: handset.now).map(\.body) == ["Waits"])
        #expect(try handset.spooled().isEmpty)
    }

    @Test func `each outcome leaves the message, a marker or nothing (protocol v1, rule 19, rule 20)`() {
        let message: Set<OutcomeKind> = [
            .locked, .keysUnavailable, .storeUnavailable, .clockUntrusted, .notOpenedInTime,
        ]
        let marker: Set<OutcomeKind> = [.unknownKey, .staleKey]
        for kind in OutcomeKind.allCases {
            let expected: OutcomeKind.Keeping =
                message.contains(kind) ? .message : marker.contains(kind) ? .marker : .nothing
            #expect(kind.keeping == expected, "\(kind)")
        }
    }

    #if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
    @Test(arguments: [SimulatedDevice.Storage.full, .readOnly])
    func `a full disk has room for what is kept, and what none takes comes with the next push (protocol v1, rule 19)`(
        _ storage: SimulatedDevice.Storage
    ) throws {
        let handset = try Handset(seed: 158, usesUnlockedClass: true)
        let device = try handset.launch()
        let phone = SimulatedDevice(appGroupsPath: nil, clock: ContinuousClock(), wallClock: { 0 })
        handset.lock.set(.locked)
        phone.change { $0.storage = storage }
        for text in ["first", "second", "second"] {
            let push = try handset.push(Message(body: text), to: device, .unlocked)
            #expect(phone.run { handset.show(push).outcome } == .locked)
            handset.pass(.milliseconds(1))
        }
        #expect(try handset.spooled().count == (storage == .full ? 3 : 0))
        phone.change { $0.storage = .writable }
        let push = try handset.push(Message(body: "shown"), to: device)
        #expect(phone.run { handset.show(push).body } == "shown")
        #expect(try handset.spooled().count == 3)
        handset.lock.set(.unlocked)
        #expect(try device.openSpooled(now: handset.now).map(\.body) == ["first", "second", "second"])
    }
    #endif

    @Test func `an unknown prekey leaves one marker and no envelope (protocol v1, rule 20)`() throws {
        let handset = try Handset(seed: 152)
        let device = try handset.launch()
        var push = try handset.push(Message(body: "Whose?"), to: device)
        push.changePrekeyID()
        for _ in 0..<3 {
            let content = handset.show(push)
            #expect(content.outcome == .unknownKey)
            #expect(content.isAppsOwn)
        }
        #expect(try handset.markers().count == 1)
        #expect(try handset.spooled().isEmpty)
        #expect(try handset.pendingTraces() == [push["trace"] as? String])
    }

    @Test func `a destroyed prekey leaves one marker and no envelope (protocol v1, rule 20)`() throws {
        let handset = try Handset(seed: 153)
        let device = try handset.launch()
        let old = try handset.recipient(device)
        handset.pass(.days(1))
        try device.rotate(now: handset.now, random: &handset.random)
        try handset.publish(device)
        handset.pass(.days(15))
        #expect(try handset.destroyDue(device) == 1)
        let push = try handset.push(handset.prepared(Message(body: "Late")), to: old)
        for _ in 0..<3 { #expect(handset.show(push).outcome == .staleKey) }
        #expect(try handset.markers().count == 1)
        #expect(try handset.spooled().isEmpty)
    }

    @Test(arguments: ["", "no trace", "AAAAAAAAAAAAAAAAAAAAAB"])
    func `a trace that is none asks for a bundle and for no re-send (protocol v1, rule 20)`(_ trace: String) throws {
        let handset = try Handset(seed: 154)
        let device = try handset.launch()
        var push = try handset.push(Message(body: "Whose?"), to: device)
        push.changePrekeyID()
        push["trace"] = trace
        #expect(handset.show(push).trace == nil)
        #expect(try handset.pendingTraces().isEmpty)
        handset.pass(.seconds(3_600))
        push.changePrekeyID()
        handset.show(push)
        #expect(try device.needsPublication(now: handset.now))
    }

    @Test(arguments: ["sealed", "webpush", "both", "neither"])
    func `what is malformed or absent leaves nothing behind (protocol v1, rule 20, rule 38)`(_ kind: String) throws {
        let handset = try Handset(seed: 155)
        let device = try handset.launch()
        var push = try handset.push(Message(body: "x"), to: device)
        let sealed = push["sealed"]
        push["sealed"] = kind == "both" ? sealed : kind == "sealed" ? "AQ" : nil
        if kind == "webpush" || kind == "both" { push["webpush"] = "AQ" }
        let content = handset.show(push)
        #expect(content.outcome == (kind == "neither" || kind == "webpush" ? .notSealed : .malformed))
        #expect(content.isAppsOwn)
        #expect(try handset.markers().isEmpty && handset.spooled().isEmpty)
    }

    @Test func `a full or foreign container keeps nobody from seeing that something came`() throws {
        let handset = try Handset(seed: 156)
        let device = try handset.launch()
        var push = try handset.push(Message(body: "Whose?"), to: device)
        push.changePrekeyID()
        let markers = handset.container.resendMarkers.file.path
        try FileManager.default.removeItem(atPath: markers)
        try FileManager.default.createDirectory(atPath: markers, withIntermediateDirectories: false)
        let content = handset.show(push)
        #expect(content.outcome == .unknownKey)
        #expect(content.isAppsOwn)
    }
}

extension [AnyHashable: Any] {
    /// Changes the prekey id: its 8 bytes begin in the third character.
    fileprivate mutating func changePrekeyID() {
        guard var characters = (self["sealed"] as? String).map(Array.init) else { return }
        characters[8] = characters[8] == "B" ? "C" : "B"
        self["sealed"] = String(characters)
    }
}
