import Envelope
import Keys
import Opening
import Sealing
import TestSupport
import Testing

@testable import NotificationCore

/// The person's preview level, which the app sets and the extension follows.
struct PreviewLevelTests {
    private let handset: Handset
    private let device: AppDevice

    init() throws {
        handset = try Handset(seed: 440, usesUnlockedClass: true)
        handset.policy = OpeningPolicy(service: OpeningPolicy.AllowedNames(sounds: ["bell.caf"]))
        device = try handset.launch(rights: [.timeSensitive], role: .service, name: "Ada")
        try device.setBadge(3)
        try device.setAvatar([1, 2, 3], of: handset.sender.publicKey)
        try device.setGroup("Compilers", picture: nil, threadID: "t")
    }

    private static var message: Message {
        var message = Message(title: "Lunch", subtitle: "today", body: "At noon?", threadID: "t")
        message.attachments = [Samples.attachment()].compactMap { $0 }
        message.level = .timeSensitive
        message.sound = Message.Sound(name: "bell.caf")
        message.receipt = ReceiptCapability(rawRepresentation: [UInt8](repeating: 3, count: 16))
        return message
    }

    private func shown(_ message: Message = Self.message) throws -> NotificationContent {
        defer { handset.pass(.seconds(1)) }
        return handset.show(try handset.push(message, to: device), requestID: "request \(handset.now.milliseconds)")
    }

    @Test func `all of a message is shown until the app says otherwise`() throws {
        let content = try shown()
        #expect(content.title == "Lunch" && content.subtitle == "today" && content.body == "At noon?")
        #expect(content.takesAttachments)
        try device.setPreview(.nothing)
        try device.setPreview(.nameAndText)
        #expect(try shown().body == "At noon?")
    }

    @Test func `with the name only, sender and group are shown and nothing that the sender wrote`() throws {
        try device.setPreview(.nameOnly)
        let content = try shown()
        #expect(content.title == "Ada" && content.subtitle == "" && content.body == Handset.texts.newMessage)
        let sender = try #require(content.sender)
        #expect(sender.displayName == "Ada" && sender.avatarPath != nil && sender.group?.name == "Compilers")
        #expect(!content.takesAttachments && content.missingAttachments.map(\.reason) == [.notFetched])
    }

    @Test func `a message without a sender's name has the app's title with the name only`() throws {
        let display = DisplayPolicy(texts: Samples.texts)
        let content = Samples.content(.opened(Samples.opened(Self.message)), display: display, sources: only(.nameOnly))
        #expect(content.sender == nil && content.title == Samples.texts.title)
    }

    @Test func `with nothing, neither words nor names nor pictures are shown`() throws {
        try device.setPreview(.nothing)
        let content = try shown()
        #expect(content.title == Handset.texts.title && content.subtitle == "")
        #expect(content.body == Handset.texts.newMessage)
        #expect(content.sender == nil && !content.takesAttachments && content.attachments.isEmpty)
    }

    @Test(arguments: PreviewLevel.allCases)
    func `sound, level, badge, thread, receipt and user info are the same at each level`(_ level: PreviewLevel) throws {
        let before = try shown()
        try device.setPreview(level)
        let content = try shown()
        #expect(content.sound == .named("bell.caf") && content.level == .timeSensitive && content.threadID == "t")
        #expect(content.badge == before.badge.map { $0 + 1 })
        #expect(content.receipt != nil && content.receipt == before.receipt)
        #expect(content.kind == before.kind && content.userInfo.keys == before.userInfo.keys)
    }

    @Test(arguments: PreviewLevel.allCases)
    func `messages are replaced and removed at each level`(_ level: PreviewLevel) throws {
        try device.setPreview(level)
        let first = try handset.prepared(Message(body: "First"))
        handset.show(try handset.push(first, to: handset.recipient(device)), requestID: "first")
        handset.pass(.seconds(1))
        var change = Message(body: "Newer")
        change.operation = .replace(first.messageID)
        #expect(try shown(change).replacedRequestIDs == ["first"])
    }

    @Test(arguments: PreviewLevel.allCases)
    func `words that no one signed are shown with the text alone`(_ level: PreviewLevel) {
        let content = Samples.content(Samples.outcome(.unauthenticated), sources: only(level))
        #expect((content.title == "Web" && content.body == "Push") == (level == .nameAndText))
        #expect((content.title == Samples.texts.title) == (level != .nameAndText))
    }

    @Test(arguments: [
        [], Array("x".utf8), Array("nameAndText\n".utf8), [UInt8](repeating: 0xFF, count: 11),
        [UInt8](repeating: 0x6E, count: 100_000),
    ])
    func `a damaged level shows nothing until the app sets it again`(_ bytes: [UInt8]) throws {
        let path = handset.folder.path("group/sealedpush.preview")
        try WholeFile.write(bytes, to: path, access: .ownerOnly)
        #expect(handset.container.preview.level == .nothing)
        #expect(try shown().title == Handset.texts.title)
        try device.setPreview(.nameAndText)
        #expect(try shown().title == "Lunch")
    }

    @Test func `a message that waited for the unlock follows the level, and the app has it nonetheless`() throws {
        try device.setPreview(.nothing)
        handset.lock.set(.locked)
        handset.show(try handset.push(Self.message, to: device, .unlocked))
        handset.lock.set(.unlocked)
        let content = try #require(try device.openSpooled(now: handset.now).first)
        #expect(content.body == Handset.texts.newMessage)
        guard case .opened(let opened) = content.outcome else { Issue.record("\(content.kind)"); return }
        #expect(opened.message.body == "At noon?")
    }

    private func only(_ level: PreviewLevel) -> ContentSources { ContentSources(preview: level) }
}
