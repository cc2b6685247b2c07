import Envelope
import Keys
import TestSupport
import Testing

@testable import Opening
@testable import Sealing

/// Attachments on their way: from a back end's own values to the app's.
struct AttachmentTests {
    private func message(_ count: Int = 2) throws -> Message {
        var message = Message(title: "Ada", body: "Look")
        for number in 0..<count {
            message.attachments.append(
                try AttachmentPointer(
                    id: .random(),
                    url: #require(AttachmentURL("https://blobs.example.com/v1/blobs/\(number)")),
                    key: .random(),
                    byteCount: 20_000,
                    type: #require(MediaType("image/jpeg")),
                    name: "Tower",
                    isThumbnail: number == 0 && count > 1
                )
            )
        }
        return message
    }

    private func opened(_ pair: borrowing Pair, _ field: String, policy: OpeningPolicy, role: Contact.Role) throws
        -> Message?
    {
        var contacts = ContactList()
        try contacts.add(Contact(key: pair.sender.publicKey, role: role))
        let opener = MessageOpener(keyRing: pair.device.keyRing, contacts: contacts, replay: .none, policy: policy)
        guard case .opened(let opened) = opener.outcome(sealedField: field, now: Pair.start) else { return nil }
        return opened.message
    }

    @Test(arguments: Contact.Role.allCases)
    func `any contact's attachments reach the app whole`(_ role: Contact.Role) throws {
        var pair = try Pair(seed: 70)
        let message = try message(4)
        let field = try pair.seal(message).envelope.field
        #expect(try opened(pair, field, policy: OpeningPolicy(), role: role)?.attachments == message.attachments)
    }

    @Test(arguments: Contact.Role.allCases, Contact.Role.allCases)
    func `an app may take attachments of one role only, and shows the text of all`(
        _ role: Contact.Role,
        _ allowed: Contact.Role
    ) throws {
        var pair = try Pair(seed: 71)
        let message = try message()
        let field = try pair.seal(message).envelope.field
        var policy = OpeningPolicy()
        policy.attachmentRoles = [allowed]
        let shown = try #require(try opened(pair, field, policy: policy, role: role))
        #expect(shown.attachments == (role == allowed ? message.attachments : []))
        #expect(shown.body == "Look")
    }

    @Test func `attachments never change the length of a payload`() throws {
        var pair = try Pair(seed: 72)
        let lengths = try (0...4).map { try pair.seal(message($0)).envelope.field.utf8.count }
        #expect(Set(lengths) == [3_840])
    }

    @Test func `attachments that do not fit say how much room there is`() throws {
        var pair = try Pair(seed: 73)
        var long = try message(4)
        long.threadID = String(repeating: "t", count: 2_000)
        let refusal = #expect(throws: SealingError.self) { try pair.seal(long) }
        guard case .message(.noRoomForAttachments(let byteCount, let roomByteCount)) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect((1...690).contains(roomByteCount) && byteCount > roomByteCount)
    }

    @Test func `every id and key is a new one`() {
        let ids = Set((0..<100).map { _ in AttachmentID.random() })
        let keys = Set((0..<100).map { _ in AttachmentKey.random() })
        #expect(ids.count == 100 && keys.count == 100)
    }
}
