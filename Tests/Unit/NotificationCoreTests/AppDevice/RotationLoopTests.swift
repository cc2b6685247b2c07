import Envelope
import Keys
import Opening
import Sealing
import TestSupport
import Testing

@testable import NotificationCore

/// Sender, relay, extension and app, through the life of a prekey (protocol v1, rules 17 and 20).
struct RotationLoopTests {
    @Test
    func `a message for a destroyed prekey is asked for, sealed anew and shown once (protocol v1, rule 17, rule 20)`()
        throws
    {
        let handset = try Handset(seed: 120)
        let device = try handset.launch()
        let old = try handset.recipient(device)
        #expect(handset.show(try handset.push(handset.prepared(Message(body: "One")), to: old)).body == "One")

        // A week later the app rotates; messages to the old bundle can still be read.
        handset.pass(.days(7))
        #expect(try device.rotateIfDue(now: handset.now, random: &handset.random) == .rotated)
        #expect(try device.needsPublication(now: handset.now))
        let oldBundle = handset.published
        try handset.publish(device)
        #expect(try !device.needsPublication(now: handset.now))
        #expect(handset.show(try handset.push(handset.prepared(Message(body: "Two")), to: old)).body == "Two")

        // After cache, lifetime and skew no sender may need it any more: not a moment before.
        handset.pass(.days(14) + .seconds(300))
        #expect(try handset.destroyDue(device) == 0)
        handset.pass(.milliseconds(1))
        #expect(try handset.destroyDue(device) == 1)

        // A sender that was asleep does, and gets a request to seal again.
        let late = try handset.prepared(Message(body: "Three"))
        let lost = try handset.push(late, to: old)
        let placeholder = handset.show(lost)
        #expect(placeholder.outcome == .staleKey)
        #expect(placeholder.isAppsOwn)
        #expect(try handset.container.resendMarkers.needsNewBundle(now: handset.now))
        #expect(try device.needsPublication(now: handset.now))
        #expect(try handset.pendingTraces() == [lost["trace"] as? String])
        try handset.publish(device)
        #expect(try !device.needsPublication(now: handset.now))
        let requests = try handset.container.resendMarkers.pendingResends()
        try handset.container.resendMarkers.resendRequested(requests.map(\.trace))
        #expect(try handset.pendingTraces().isEmpty)

        // The sender's pins take the new bundle, and the old one never again.
        handset.pass(.seconds(10))
        let new = try handset.recipient(device)
        #expect(
            refusal { () throws(RecipientError) in
                _ = try Recipient(
                    bundle: oldBundle,
                    fetchedAt: handset.now,
                    pinnedIdentity: device.identity,
                    topic: handset.settings.topic,
                    pins: handset.pins,
                    now: handset.now
                )
            } != nil
        )
        let again = try handset.push(late, to: new)
        let shown = handset.show(again)
        guard case .opened(let opened) = shown.outcome else {
            Issue.record("\(shown.outcome)")
            return
        }
        #expect(shown.body == "Three")
        #expect(opened.messageID == late.messageID)
        // Each further copy is the same message.
        #expect(handset.show(try handset.push(late, to: new)).outcome == .replay)
        #expect(handset.show(again).outcome == .replay)
    }

    @Test func `neither a clock that jumps ahead nor a message destroys a prekey, and confirmed time does`() throws {
        let handset = try Handset(seed: 121)
        let device = try handset.launch()
        handset.pass(.days(7))
        try device.rotate(now: handset.now, random: &handset.random)
        try handset.publish(device)
        handset.uptime.restart()
        let right = handset.now
        handset.now = right.advanced(by: .days(40))
        handset.uptime.restart()
        #expect(handset.show(try handset.push(Message(body: "Then"), to: device)).body == "Then")
        #expect(try device.destroyDue() == 0)
        handset.now = right.advanced(by: .days(15))
        handset.uptime.restart()
        #expect(handset.show(try handset.push(Message(body: "Now"), to: device)).body == "Now")
        #expect(try device.destroyDue() == 0)
        #expect(try handset.destroyDue(device) == 1)
    }

    @Test func `an old acknowledgement is none for the newest bundle, nor for missed messages (protocol v1, rule 17)`()
        throws
    {
        let handset = try Handset(seed: 122)
        let device = try handset.launch()
        let first = try device.bundle()
        handset.pass(.days(1))
        try device.rotate(now: handset.now, random: &handset.random)
        try device.acknowledged(epoch: first.epoch, now: handset.now)
        #expect(try device.needsPublication(now: handset.now))
        let newest = try device.bundle().epoch
        let refused = refusal { () throws(AppDeviceError) in
            try device.acknowledged(epoch: newest + 1, now: handset.now)
        }
        #expect(refused == .unknownEpoch)
        #expect(try device.needsPublication(now: handset.now))
    }

    @Test func `rotation is due after a week and not before (protocol v1, rule 17)`() throws {
        let handset = try Handset(seed: 123)
        let device = try handset.launch()
        handset.pass(.days(7) - .milliseconds(1))
        #expect(try device.rotateIfDue(now: handset.now, random: &handset.random) == .notDue)
        handset.pass(.milliseconds(1))
        #expect(try device.rotateIfDue(now: handset.now, random: &handset.random) == .rotated)
        #expect(try device.rotateIfDue(now: handset.now, random: &handset.random) == .notDue)
    }

    @Test func `another device token has other prekeys, and the same one keeps them (protocol v1, rule 33)`() throws {
        let handset = try Handset(seed: 124)
        let device = try handset.launch()
        let rotates = { token in
            try device.rotateIfDue(token: token, now: handset.now, random: &handset.random) == .rotated
        }
        let epoch = { try device.bundle().epoch }
        let first = try epoch()
        #expect(try !rotates([1]))
        #expect(try !rotates([1]))
        #expect(try epoch() == first)
        #expect(try rotates([2]))
        #expect(try epoch() != first)
        #expect(try !rotates([2]))
        #expect(try !rotates(nil))
        #expect(try rotates([1]))
    }

    @Test func `a token that could not be noted rotates once more, and no push is lost by it`() throws {
        let handset = try Handset(seed: 125)
        let device = try handset.launch()
        #expect(try device.rotateIfDue(token: [1], now: handset.now, random: &handset.random) == .notDue)
        // As after a kill: the file holds no digest.
        try WholeFile.write([UInt8](repeating: 0, count: 40), to: handset.settings.tokenRecordPath, access: .ownerOnly)
        #expect(try device.rotateIfDue(token: [1], now: handset.now, random: &handset.random) == .rotated)
        #expect(try device.rotateIfDue(token: [1], now: handset.now, random: &handset.random) == .notDue)
    }
}
