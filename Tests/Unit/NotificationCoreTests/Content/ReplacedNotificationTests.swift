import Envelope
import Opening
import Sealing
import TestSupport
import Testing

@testable import NotificationCore

/// Messages that take others off the screen, of their own sender's only (protocol v1, rule 27).
struct ReplacedNotificationTests {
    private let handset: Handset
    private let device: AppDevice

    init() throws {
        handset = try Handset(seed: 430)
        device = try handset.launch()
    }

    private func shown(_ body: String, as requestID: String?) throws -> MessageID {
        let message = try handset.prepared(Message(body: body))
        handset.show(try handset.push(message, to: handset.recipient(device)), requestID: requestID)
        handset.pass(.seconds(1))
        return message.messageID
    }

    private func show(_ operation: Message.Operation, as requestID: String?) throws -> NotificationContent {
        var message = Message(body: "Words")
        message.operation = operation
        let content = handset.show(try handset.push(message, to: device), requestID: requestID)
        handset.pass(.seconds(1))
        return content
    }

    @Test func `a replacement and a removal name the notification that shows their target (protocol v1, rule 27)`()
        throws
    {
        let first = try shown("First", as: "request 1")
        let second = try shown("Second", as: "request 2")
        #expect(try show(.replace(first), as: "request 3").replacedRequestIDs == ["request 1"])
        #expect(try show(.remove(second), as: "request 4").replacedRequestIDs == ["request 2"])
        // The replacement stands for the first message now.
        #expect(try show(.remove(first), as: "request 5").replacedRequestIDs == ["request 3"])
    }

    @Test func `a message can be taken back by the id of its replacement too (protocol v1, rule 27)`() throws {
        let first = try shown("First", as: "request 1")
        var message = Message(body: "Newer")
        message.operation = .replace(first)
        let replacement = try handset.prepared(message)
        handset.show(try handset.push(replacement, to: handset.recipient(device)), requestID: "request 2")
        handset.pass(.seconds(1))
        #expect(try show(.remove(replacement.messageID), as: nil).replacedRequestIDs == ["request 2"])
    }

    @Test func `a target that was never shown, or without an identifier, takes nothing away`() throws {
        let unknown = MessageID(bytes: [UInt8](repeating: 9, count: 16))
        #expect(try show(.remove(unknown), as: "request 1").replacedRequestIDs == [])
        let silent = try shown("First", as: nil)
        #expect(try show(.remove(silent), as: "request 2").replacedRequestIDs == [])
    }

    @Test func `a content that iOS never had is shown under nothing (protocol v1, rule 26)`() throws {
        let message = try handset.prepared(Message(body: "First"))
        _ = handset.content(try handset.push(message, to: handset.recipient(device)), requestID: "request 1")
        handset.pass(.seconds(1))
        #expect(try show(.remove(message.messageID), as: "request 2").replacedRequestIDs == [])
    }

    @Test func `under the same identifier iOS replaces by itself`() throws {
        let first = try shown("First", as: "collapse")
        #expect(try show(.replace(first), as: "collapse").replacedRequestIDs == [])
    }

    @Test func `another sender's message stays where it is (protocol v1, rule 27)`() throws {
        let first = try shown("First", as: "request 1")
        let key = RequestMap.Key(sender: Samples.sender, messageID: first)
        #expect(try handset.container.requests.requestID(for: key) == nil)
    }

    @Test func `a removal that waited for the unlock takes its target away too (protocol v1, rule 19)`() throws {
        let handset = try Handset(seed: 431, usesUnlockedClass: true)
        let device = try handset.launch()
        let message = try handset.prepared(Message(body: "First"))
        handset.show(try handset.push(message, to: handset.recipient(device)), requestID: "request 1")
        handset.pass(.seconds(1))
        var removal = Message()
        removal.operation = .remove(message.messageID)
        let push = try handset.push(removal, to: device, .unlocked)
        handset.lock.set(.locked)
        handset.show(push, requestID: "request 2")
        handset.lock.set(.unlocked)
        #expect(try device.openSpooled(now: handset.now).map(\.replacedRequestIDs) == [["request 1"]])
    }
}
