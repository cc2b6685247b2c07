import Envelope
import Foundation
import Opening
import Sealing
import TestSupport
import Testing

@testable import NotificationCore

/// The extension and the window that it shares with the app (protocol v1, rules 15, 23 and 26).
struct ReplayedPushTests {
    @Test func `a push that was shown is not shown again (protocol v1, rule 23, rule 26)`() throws {
        let handset = try Handset(seed: 140)
        let push = try handset.push(Message(title: "Ada", body: "Once"), to: handset.launch())
        #expect(handset.show(push).body == "Once")
        for seconds in [0, 1, 35, 36, 3_000] {
            handset.pass(.seconds(seconds))
            let again = handset.show(push)
            #expect(again.outcome == .replay)
            #expect(again.isAppsOwn)
        }
    }

    @Test
    func `a push that was opened and never shown is shown after 35 seconds and not before (protocol v1, rule 26)`()
        throws
    {
        let handset = try Handset(seed: 141)
        let push = try handset.push(Message(body: "Once"), to: handset.launch())
        #expect(handset.content(push).body == "Once")
        #expect(handset.content(push).outcome == .replay)
        handset.pass(.seconds(35))
        #expect(handset.content(push).outcome == .replay)
        handset.pass(.seconds(1))
        #expect(handset.show(push).body == "Once")
        handset.pass(.seconds(36))
        #expect(handset.content(push).outcome == .replay)
    }

    @Test func `showing the app's words for a replay makes nothing done (protocol v1, rule 26)`() throws {
        let handset = try Handset(seed: 142)
        let push = try handset.push(Message(body: "Once"), to: handset.launch())
        #expect(handset.content(push).body == "Once")
        #expect(handset.show(push).outcome == .replay)
        handset.pass(.seconds(36))
        #expect(handset.content(push).body == "Once")
    }

    @Test func `another copy of a shown message is a replay, and another message is not (protocol v1, rule 20)`() throws
    {
        let handset = try Handset(seed: 143)
        let device = try handset.launch()
        let message = try handset.prepared(Message(body: "Same"))
        let recipient = try handset.recipient(device)
        #expect(handset.show(try handset.push(message, to: recipient)).body == "Same")
        #expect(handset.show(try handset.push(message, to: recipient)).outcome == .replay)
        #expect(handset.show(try handset.push(Message(body: "Same"), to: device)).body == "Same")
    }

    @Test(arguments: WindowFault.allCases)
    fileprivate func `without its window nothing counts as new and nothing is recorded (protocol v1, rule 15, rule 26)`(
        _ fault: WindowFault
    ) throws {
        let handset = try Handset(seed: 144)
        let device = try handset.launch()
        // A window of a generation before the ring's, for one of the faults.
        let old = try handset.window
        _ = try handset.open()
        let good = try handset.window
        let push = try handset.push(Message(body: "Later"), to: device)
        let faulty = try fault.apply(to: handset, old: old)
        for _ in 0..<2 {
            let content = handset.show(push)
            #expect(content.outcome == .storeUnavailable)
            #expect(content.isAppsOwn)
        }
        #expect(
            try FileManager.default.fileExists(atPath: handset.windowPath) ? handset.window == faulty : faulty == nil
        )
        // It goes to the app, once, should this push be the only one.
        #expect(try handset.spooled().count == 1 && handset.markers().isEmpty)
        // No claim was left anywhere: with its own window the push is new.
        try handset.putWindow(good)
        #expect(handset.show(push).body == "Later")
    }

    @Test
    func `a stranger's push shows the app's words, carries its key and takes no place (protocol v1, rule 23, rule 31)`()
        throws
    {
        let handset = try Handset(seed: 145)
        let device = try handset.launch()
        let push = try handset.push(Message(title: "Bank", body: "Hello"), to: device)
        try device.setContacts(ContactList())
        let before = try handset.window
        for _ in 0..<2 {
            let content = handset.show(push)
            #expect(content.outcome == .unverifiedSender(handset.sender.publicKey))
            #expect(content.isAppsOwn)
        }
        #expect(try handset.window == before)
        try device.setContacts(ContactList(unknownSenders: .refuse))
        #expect(handset.show(push).outcome == .malformed)
        // The sender became a contact meanwhile: the message was unclaimed.
        try device.setContacts(ContactList(people: [handset.sender.publicKey]))
        #expect(handset.show(push).body == "Hello")
    }
}

private enum WindowFault: CaseIterable, Sendable {
    case missing, damaged, shorter, otherWindow, olderGeneration

    /// - Returns: the file with the fault; nil for none.
    func apply(to handset: Handset, old: [UInt8]) throws -> [UInt8]? {
        switch self {
        case .missing:
            try FileManager.default.removeItem(atPath: handset.windowPath)
            return nil
        case .damaged:
            var bytes = try handset.window
            bytes[70] ^= 1
            try handset.putWindow(bytes)
        case .shorter: try handset.putWindow(handset.window.dropLast())
        case .otherWindow:
            var random = SeededRandom(seed: 1)
            _ = try ReplayWindow.replace(folder: handset.settings.containerPath, random: &random)
        case .olderGeneration: try handset.putWindow(old)
        }
        return try handset.window
    }
}
