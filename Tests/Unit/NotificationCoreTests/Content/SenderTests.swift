import Envelope
import Keys
import Opening
import Sealing
import TestSupport
import Testing

@testable import NotificationCore

/// The sender of a communication notification (protocol v1, rule 22).
struct SenderTests {
    private func sender(
        _ message: Message,
        name: String?,
        sources: ContentSources = ContentSources()
    ) -> NotificationContent.Sender? {
        Samples.content(.opened(Samples.opened(message, name: name)), sources: sources).sender
    }

    @Test func `a person's name is the contact list's, never the message's (protocol v1, rule 22)`() throws {
        let handset = try Handset(seed: 410)
        let device = try handset.launch(name: "Ada")
        var message = Message(title: "Bank", body: "Pay", threadID: "t")
        message.senderName = "Bank"
        let content = handset.show(try handset.push(message, to: device))
        #expect(content.sender?.displayName == "Ada")
        #expect(content.sender?.conversationID == "t")
        #expect(content.sender?.handle == NotificationContent.Sender.handle(of: handset.sender.publicKey))
        #expect(content.title == "Bank")
    }

    @Test func `a service may say for whom it speaks, and each of those is somebody (protocol v1, rule 22)`() throws {
        let handset = try Handset(seed: 411)
        let device = try handset.launch(role: .service, name: "Acme")
        var handles: Set<String> = []
        for name in ["", "Ada", "Bob"] {
            var message = Message(body: "Hello")
            message.senderName = name
            let content = handset.show(try handset.push(message, to: device))
            let sender = try #require(content.sender)
            #expect(sender.displayName == (name.isEmpty ? "Acme" : name))
            #expect(sender.conversationID == sender.handle)
            #expect(content.title == sender.displayName)
            handles.insert(sender.handle)
        }
        #expect(handles.count == 3)
        #expect(handles.contains(NotificationContent.Sender.handle(of: handset.sender.publicKey, speakingFor: "Ada")))
    }

    @Test func `without a name there is no sender, and a stranger has none`() {
        #expect(sender(Message(body: "x"), name: nil) == nil)
        #expect(sender(Message(body: "x"), name: "\u{200B}") == nil)
        #expect(Samples.content(Samples.outcome(.unverifiedSender)).sender == nil)
        #expect(Samples.content(Samples.outcome(.unauthenticated)).sender == nil)
    }

    @Test func `a name is made safe to look at (abuse case 20)`() {
        var message = Message(body: "x")
        message.senderName = "Ada\u{202E}\nBank"
        #expect(sender(message, name: nil)?.displayName == "Ada Bank")
        #expect(sender(Message(body: "x"), name: "A\u{2066}da")?.displayName == "Ada")
    }

    @Test func `a handle is the same for ever, another for everybody else, and not the key`() {
        let handle = NotificationContent.Sender.handle(of: Samples.sender)
        #expect(handle == NotificationContent.Sender.handle(of: Samples.sender))
        #expect(handle != NotificationContent.Sender.handle(of: Samples.key(seed: 2)))
        #expect(handle.utf8.count == 22)
        #expect(!Base64URL.string(Samples.sender.rawRepresentation).contains(handle))
    }

    @Test func `a picture is there once the app put it, and no other file is taken for one`() throws {
        let handset = try Handset(seed: 412)
        let device = try handset.launch(name: "Ada")
        let key = handset.sender.publicKey
        let path = handset.folder.path("group/sealedpush-avatars/" + NotificationContent.Sender.handle(of: key))
        func avatar() throws -> String? {
            handset.show(try handset.push(Message(body: "x"), to: device)).sender?.avatarPath
        }
        #expect(try avatar() == nil)
        try device.setAvatar([1, 2, 3], of: key)
        #expect(try avatar() == path)
        #expect(try WholeFile.read(path, byteCountMax: 10) == [1, 2, 3])
        try device.setAvatar([1], of: key, speakingFor: "Bob")
        #expect(try avatar() == path)
        try device.setAvatar(nil, of: key)
        #expect(try avatar() == nil)
        try PrivateFolder.make(path, protection: nil)
        #expect(try avatar() == nil)
    }

    @Test func `a group has the app's name and picture, for its thread alone`() throws {
        let handset = try Handset(seed: 413)
        let device = try handset.launch(name: "Ada")
        func group(_ threadID: String) throws -> NotificationContent.Sender.Group? {
            handset.show(try handset.push(Message(body: "x", threadID: threadID), to: device)).sender?.group
        }
        #expect(try group("t") == nil)
        try device.setGroup("Com\u{202E}pilers", picture: [1, 2, 3], threadID: "t")
        let found = try #require(try group("t"))
        #expect(found.name == "Compilers")
        #expect(try WholeFile.read(try #require(found.picturePath), byteCountMax: 10) == [1, 2, 3])
        #expect(try group("u") == nil && group("") == nil)
        try device.setGroup("Linkers", picture: nil, threadID: "t")
        #expect(try group("t") == .init(name: "Linkers", picturePath: nil))
        try device.setGroup(nil, picture: nil, threadID: "t")
        #expect(try group("t") == nil)
        // Invisible: as good as none.
        try device.setGroup("\u{200B}", picture: nil, threadID: "t")
        #expect(try group("t") == nil)
    }

    @Test func `a message mentions the person by the app's name for that, and by true alone`() {
        var display = DisplayPolicy(texts: Samples.texts)
        func mentions(_ info: [String: Message.InfoValue]) -> Bool? {
            var message = Message(body: "x")
            message.userInfo = info
            return Samples.content(.opened(Samples.opened(message, name: "Ada")), display: display).sender?
                .mentionsPerson
        }
        #expect(mentions(["mention": .bool(true)]) == false)
        display.mentionName = "mention"
        #expect(mentions(["mention": .bool(true)]) == true)
        #expect(mentions(["mention": .bool(false)]) == false && mentions(["mention": .string("true")]) == false)
        #expect(mentions(["other": .bool(true)]) == false && mentions([:]) == false)
    }
}
