import Envelope
import Keys
import Opening
import Sealing
import TestSupport
import Testing

@testable import NotificationCore

/// Messages that come while the device is locked, and the app's reading of them (protocol v1, rule 19).
struct SpooledMessageTests {
    @Test func `a message of the unlocked class waits for the unlock and is shown once (protocol v1, rule 19)`() throws
    {
        let handset = try Handset(seed: 130, usesUnlockedClass: true)
        let device = try handset.launch()
        let push = try handset.push(Message(title: "Ada", body: "Secret"), to: device, .unlocked)
        handset.lock.set(.locked)
        let placeholder = handset.show(push)
        #expect(placeholder.outcome == .locked)
        #expect(placeholder.body == Handset.texts.unlockNeeded)
        #expect(try handset.spooled().count == 1)
        #expect(try device.openSpooled(now: handset.now).isEmpty)
        #expect(try handset.spooled().count == 1)
        // A message that opens after the first unlock is not held up.
        #expect(handset.show(try handset.push(Message(body: "Usual"), to: device)).body == "Usual")

        handset.lock.set(.unlocked)
        let contents = try device.openSpooled(now: handset.now)
        #expect(contents.map(\.title) == ["Ada"])
        #expect(contents.map(\.body) == ["Secret"])
        #expect(contents.map(\.trace) == [push["trace"] as? String])
        #expect(try handset.spooled().isEmpty)
        #expect(try device.openSpooled(now: handset.now).isEmpty)
        #expect(handset.show(push).outcome == .replay)
    }

    @Test func `what was shown elsewhere meanwhile is not shown again (protocol v1, rule 19)`() throws {
        let handset = try Handset(seed: 131, usesUnlockedClass: true)
        let device = try handset.launch()
        let message = try handset.prepared(Message(body: "Twice sent"), lifetime: .seconds(600))
        let recipient = try handset.recipient(device, .unlocked)
        handset.lock.set(.locked)
        handset.show(try handset.push(message, to: recipient))
        handset.lock.set(.unlocked)
        #expect(handset.show(try handset.push(message, to: recipient)).body == "Twice sent")
        #expect(try device.openSpooled(now: handset.now).isEmpty)
        handset.pass(.seconds(600))
        #expect(try device.openSpooled(now: handset.now).isEmpty)
        #expect(try handset.spooled().isEmpty)
    }

    @Test func `what expired while the device was locked is dropped (protocol v1, rule 19)`() throws {
        let handset = try Handset(seed: 132, usesUnlockedClass: true)
        let device = try handset.launch()
        handset.lock.set(.locked)
        handset.show(try handset.push(Message(body: "Short"), to: device, .unlocked, lifetime: .seconds(60)))
        handset.show(try handset.push(Message(body: "Long"), to: device, .unlocked, lifetime: .seconds(600)))
        handset.pass(.seconds(60))
        handset.lock.set(.unlocked)
        #expect(try device.openSpooled(now: handset.now).map(\.body) == ["Long"])
        #expect(try handset.spooled().isEmpty)
    }

    /// The state on disk while it shows is the state that an ended process leaves.
    @Test func `an app that is ended while it shows a message shows it again (protocol v1, rule 19, rule 26)`() throws {
        let handset = try Handset(seed: 133, usesUnlockedClass: true)
        let device = try handset.launch()
        handset.lock.set(.locked)
        handset.show(try handset.push(Message(body: "Cut short"), to: device, .unlocked))
        handset.lock.set(.unlocked)
        let path = handset.container.spool.file.path
        let spool = try WholeFile.read(path, byteCountMax: 1 << 20)
        var window: [UInt8] = []
        try device.openSpooled(now: handset.now) { _ in
            window = (try? handset.window) ?? []  // Empty fails below: no window is.
        }
        try WholeFile.write(spool, to: path, access: .ownerOnly)
        try handset.putWindow(window)

        let next = try handset.open()
        #expect(next.isContinued)
        handset.pass(.seconds(35))
        #expect(try next.device.openSpooled(now: handset.now).isEmpty)
        handset.pass(.seconds(1))
        #expect(try next.device.openSpooled(now: handset.now).map(\.body) == ["Cut short"])
        #expect(try handset.spooled().isEmpty)
        #expect(try next.device.openSpooled(now: handset.now).isEmpty)
    }

    @Test func `a spooled message goes with its prekey (protocol v1, rule 19)`() throws {
        let handset = try Handset(seed: 134, usesUnlockedClass: true)
        let device = try handset.launch()
        let old = try handset.recipient(device, .unlocked)
        handset.lock.set(.locked)
        handset.show(try handset.push(handset.prepared(Message(body: "Old")), to: old))
        handset.lock.set(.unlocked)
        try device.rotate(now: handset.now, random: &handset.random)
        try handset.publish(device)
        handset.pass(.days(14) + .seconds(301))
        #expect(try handset.spooled().count == 1)
        #expect(try handset.destroyDue(device) == 2)
        #expect(try handset.spooled().isEmpty)
    }

    @Test func `a spooled message whose prekey was lost is asked for again (protocol v1, rule 19, rule 20)`() throws {
        let handset = try Handset(seed: 135, usesUnlockedClass: true)
        let device = try handset.launch()
        handset.lock.set(.locked)
        let push = try handset.push(Message(body: "Lost"), to: device, .unlocked)
        handset.show(push)
        handset.lock.set(.unlocked)
        var other = SeededRandom(seed: 1)
        _ = try ReplayWindow.replace(folder: handset.settings.containerPath, random: &other)
        // Before the app's check, nothing counts as new, and nothing is lost.
        #expect(handset.content(push).outcome == .storeUnavailable)
        let start = try handset.open()
        #expect(start.loss == .replayStoreLost)
        #expect(try start.device.openSpooled(now: handset.now).isEmpty)
        #expect(try handset.spooled().isEmpty)
        #expect(try handset.pendingTraces() == [push["trace"] as? String])
    }

    @Test func `a spooled message stays while the window cannot be used (protocol v1, rule 19, rule 26)`() throws {
        let handset = try Handset(seed: 136, usesUnlockedClass: true)
        let device = try handset.launch()
        handset.lock.set(.locked)
        handset.show(try handset.push(Message(body: "Waits"), to: device, .unlocked))
        handset.lock.set(.unlocked)
        let window = try handset.window
        try handset.putWindow([UInt8](repeating: 0, count: window.count))
        #expect(try device.openSpooled(now: handset.now).isEmpty)
        #expect(try handset.spooled().count == 1)
        try handset.putWindow(window)
        #expect(try handset.open().device.openSpooled(now: handset.now).map(\.body) == ["Waits"])
    }

    @Test func `a spooled message of a stranger comes with the app's words and its key (protocol v1, rule 19)`() throws
    {
        let handset = try Handset(seed: 137, usesUnlockedClass: true)
        let device = try handset.launch()
        try device.setContacts(ContactList())
        handset.lock.set(.locked)
        handset.show(try handset.push(Message(body: "Hello"), to: device, .unlocked))
        handset.lock.set(.unlocked)
        let contents = try device.openSpooled(now: handset.now)
        #expect(contents.map(\.outcome) == [.unverifiedSender(handset.sender.publicKey)])
        #expect(contents.map(\.isAppsOwn) == [true])
        #expect(try handset.spooled().isEmpty)
    }
}
