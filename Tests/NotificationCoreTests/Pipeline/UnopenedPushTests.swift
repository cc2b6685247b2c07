import Envelope
import Foundation
import Keys
import Opening
import TestSupport
import Testing

@testable import NotificationCore

/// Pushes that the extension cannot open now, and what it leaves for the app (protocol v1, rules 19 and 20).
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

    @Test func `a locked push that comes again is kept once (protocol v1, rule 19)`() throws {
        let handset = try Handset(seed: 151, usesUnlockedClass: true)
        let device = try handset.launch()
        let push = try handset.push(Message(body: "Locked"), to: device, .unlocked)
        handset.lock.set(.locked)
        for _ in 0..<3 { #expect(handset.show(push).outcome == .locked) }
        #expect(try handset.spooled().count == 1)
        #expect(try handset.markers().isEmpty)
    }

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
        #expect(try device.destroyDue(clockConfirmedOnline: true, now: handset.now) == 1)
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
        try Data([1]).write(to: URL(fileURLWithPath: handset.folder.path("group/sealedpush-markers")))
        let content = handset.show(push)
        #expect(content.outcome == .unknownKey)
        #expect(content.isAppsOwn)
    }
}

extension [AnyHashable: Any] {
    /// The 8 bytes of it begin in the third character.
    fileprivate mutating func changePrekeyID() {
        guard var characters = (self["sealed"] as? String).map(Array.init) else { return }
        characters[8] = characters[8] == "B" ? "C" : "B"
        self["sealed"] = String(characters)
    }
}
