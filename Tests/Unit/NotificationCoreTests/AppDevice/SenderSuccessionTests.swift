import Envelope
import Foundation
import Keys
import Opening
import Sealing
import TestSupport
import Testing

@testable import NotificationCore

/// A sender that changes its key: the phone before, meanwhile and after.
final class SenderSuccessionTests {
    private let handset: Handset
    private let device: AppDevice
    private let successor: SenderIdentity

    init() throws {
        handset = try Handset(seed: 400)
        device = try handset.launch(rights: .timeSensitive, role: .service, name: "Acme")
        var random = SeededRandom(seed: 401)
        successor = SenderIdentity(random: &random)
    }

    private var old: SenderKey { handset.sender.publicKey }
    private var new: SenderKey { successor.publicKey }

    @Test func `before the announcement the new key is a stranger's, and then it is the contact's`() throws {
        let early = try push(Message(title: "Early", body: "Early"), by: successor)
        #expect(handset.show(early).outcome == .unverifiedSender(new))
        #expect(handset.content(early).isAppsOwn)

        #expect(try device.accept(announcement(), now: handset.now) == .replaced(old, by: new))
        let content = handset.show(try push(Message(title: "Late", body: "Late"), by: successor))
        #expect(content.body == "Late")
        #expect(content.senderKey == new)
        let contact = try #require(try device.contacts().contact(for: new))
        #expect(contact.name == "Acme" && contact.role == .service && contact.rights == .timeSensitive)
        #expect(try device.contacts().count == 1)
    }

    @Test func `messages of the old key are shown for the longest lifetime, with the contact's name, and then no more`()
        throws
    {
        let announcement = announcement()
        handset.pass(.seconds(3_600))
        _ = try device.accept(announcement, now: handset.now)
        let content = handset.show(try push(Message(body: "Under way"), by: handset.sender))
        #expect(content.body == "Under way")
        #expect(content.senderKey == old)
        #expect(content.sender?.displayName == "Acme")
        let inTime = try push(Message(body: "Last"), by: handset.sender, lifetime: .days(7))
        let late = try push(Message(body: "Late"), by: handset.sender, lifetime: .days(7))
        handset.now = Handset.start.advanced(by: .days(7) - .milliseconds(1))
        #expect(handset.show(inTime).body == "Last")
        handset.pass(.milliseconds(1))
        #expect(handset.show(late).outcome == .unverifiedSender(old))
    }

    @Test func `an old key lives no longer under a clock that is set back`() throws {
        _ = try device.accept(announcement(), now: handset.now)
        handset.pass(.days(8))
        #expect(handset.show(try push(Message(body: "Time passes"), by: successor)).body == "Time passes")
        let late = try push(Message(body: "Late"), by: handset.sender)
        handset.now = Handset.start
        #expect(handset.show(late).outcome == .unverifiedSender(old))
    }

    @Test func `a revoked key goes at once, with what is under way`() throws {
        let underWay = try push(Message(body: "Under way"), by: handset.sender)
        let revocation = handset.sender.revocation(topic: handset.settings.topic, at: handset.now)
        #expect(try device.accept(revocation, now: handset.now) == .revoked(old))
        #expect(handset.show(underWay).outcome == .unverifiedSender(old))
        #expect(try device.accept(revocation, now: handset.now) == .unchanged)
        #expect(refusal { () throws(AppDeviceError) in _ = try accept(announcement()) } == .announcement(.givenUp))
        #expect(try device.contacts().count == 0)
    }

    @Test func `a revocation of the old key leaves the new one`() throws {
        _ = try device.accept(announcement(), now: handset.now)
        let revocation = handset.sender.revocation(topic: handset.settings.topic, at: handset.now)
        #expect(try accept(revocation) == .revoked(old))
        #expect(handset.show(try push(Message(body: "Old"), by: handset.sender)).outcome == .unverifiedSender(old))
        #expect(handset.show(try push(Message(body: "New"), by: successor)).body == "New")
    }

    @Test func `an old announcement brings back neither a removed contact nor a revoked key`() throws {
        let announcement = announcement()
        _ = try accept(announcement)
        // The person removes the contact while the old key's messages may be under way.
        var contacts = try device.contacts()
        contacts.remove(new)
        try device.setContacts(contacts)
        #expect(try accept(announcement) == .unchanged)
        #expect(handset.show(try push(Message(body: "New"), by: successor)).outcome == .unverifiedSender(new))
        #expect(handset.show(try push(Message(body: "Old"), by: handset.sender)).outcome == .unverifiedSender(old))

        // The app adds the sender again, by its old key; its new one was revoked meanwhile.
        try contacts.add(Contact(person: new))
        try device.setContacts(contacts)
        _ = try accept(successor.revocation(topic: handset.settings.topic, at: handset.now))
        var own = ContactList()
        try own.add(Contact(person: old))
        try device.setContacts(own)
        #expect(refusal { () throws(AppDeviceError) in _ = try accept(announcement) } == .announcement(.givenUp))
        #expect(handset.show(try push(Message(body: "Old"), by: handset.sender)).body == "Old")
    }

    @Test func `a second successor of one key is refused, and so is a way back`() throws {
        _ = try accept(announcement())
        let third = SenderIdentity()
        let topic = handset.settings.topic
        let second = handset.sender.announcing(successor: third, topic: topic, at: handset.now)
        #expect(refusal { () throws(AppDeviceError) in _ = try accept(second) } == .announcement(.otherSuccessor))
        let back = successor.announcing(successor: handset.sender, topic: topic, at: handset.now)
        #expect(refusal { () throws(AppDeviceError) in _ = try accept(back) } == .announcement(.givenUp))
        #expect(try device.contacts().contacts.map(\.key) == [new])
    }

    @Test func `two changes in one lifetime keep both old keys' messages`() throws {
        let third = SenderIdentity()
        _ = try accept(announcement())
        handset.pass(.days(2))
        let next = successor.announcing(successor: third, topic: handset.settings.topic, at: handset.now)
        #expect(try accept(next) == .replaced(new, by: third.publicKey))
        for identity in [0, 1, 2] {
            let content =
                switch identity {
                case 0: handset.show(try push(Message(body: "Hello"), by: handset.sender))
                case 1: handset.show(try push(Message(body: "Hello"), by: successor))
                default: handset.show(try push(Message(body: "Hello"), by: third))
                }
            #expect(content.body == "Hello", "key \(identity)")
        }
        #expect(try accept(announcement(at: Handset.start)) == .unchanged)
    }

    @Test func `an announcement of a sender that is no contact changes nothing`() throws {
        let stranger = SenderIdentity()
        let before = try WholeFile.read(handset.container.contactsPath, byteCountMax: 10_000)
        let topic = handset.settings.topic
        #expect(try accept(stranger.announcing(successor: successor, topic: topic, at: handset.now)) == .unchanged)
        #expect(try accept(stranger.revocation(topic: topic, at: handset.now)) == .unchanged)
        #expect(try WholeFile.read(handset.container.contactsPath, byteCountMax: 10_000) == before)
    }

    @Test func `what is refused changes nothing`() throws {
        let before = try WholeFile.read(handset.container.contactsPath, byteCountMax: 10_000)
        let other = handset.sender.announcing(
            successor: successor,
            topic: try BundleID("com.example.other"),
            at: handset.now
        )
        #expect(refusal { () throws(AppDeviceError) in _ = try accept(other) } == .announcement(.otherTopic))
        let future = announcement(at: handset.now.advanced(by: .seconds(301)))
        #expect(refusal { () throws(AppDeviceError) in _ = try accept(future) } == .announcement(.notYet))
        #expect(refusal { () throws(AppDeviceError) in _ = try accept([]) } == .announcement(.malformed))
        #expect(try WholeFile.read(handset.container.contactsPath, byteCountMax: 10_000) == before)
    }

    /// Replay and order are each key's own (protocol v1, sections 10 and 11).
    @Test func `the new key's remove does not reach a message of the old one, and the old key's does`() throws {
        _ = try accept(announcement())
        let message = try handset.prepared(Message(body: "Shown"))
        handset.show(try handset.push(message, to: handset.recipient(device)), requestID: "request 1")
        var removal = Message()
        removal.operation = .remove(message.messageID)
        handset.pass(.seconds(1))
        #expect(handset.show(try push(removal, by: successor)).replacedRequestIDs == [])
        #expect(handset.show(try push(removal, by: handset.sender)).replacedRequestIDs == ["request 1"])
    }

    @Test func `a list that the app writes keeps what was announced, but for its own contacts`() throws {
        _ = try accept(announcement())
        var own = ContactList()
        try own.add(Contact(person: new))
        try device.setContacts(own)
        #expect(handset.show(try push(Message(body: "Under way"), by: handset.sender)).body == "Under way")
        try own.add(Contact(person: old))
        try device.setContacts(own)
        handset.pass(.days(30))
        #expect(handset.show(try push(Message(body: "A contact"), by: handset.sender)).body == "A contact")
    }

    private func announcement(at date: Timestamp? = nil) -> [UInt8] {
        handset.sender.announcing(successor: successor, topic: handset.settings.topic, at: date ?? handset.now)
    }

    private func accept(_ announcement: [UInt8]) throws(AppDeviceError) -> SenderChange {
        try device.accept(announcement, now: handset.now)
    }

    private func push(
        _ message: Message,
        by sender: borrowing SenderIdentity,
        lifetime: Duration = .seconds(3_600)
    ) throws -> [AnyHashable: Any] {
        let prepared = try handset.prepared(message, lifetime: lifetime)
        let sealed = try sender.seal(prepared, for: handset.recipient(device), now: handset.now)
        let payload = sealed.payload(placeholder: try Placeholder(title: "Relay", body: "words of the relay"))
        return try JSONSerialization.jsonObject(with: Data(payload)) as? [AnyHashable: Any] ?? [:]
    }
}
