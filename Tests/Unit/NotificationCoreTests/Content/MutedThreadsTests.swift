import Envelope
import Keys
import Opening
import Primitives
import Sealing
import TestSupport
import Testing

@testable import NotificationCore

/// Conversations that the person muted: the app writes the list, and the extension follows it.
struct MutedThreadsTests {
    private let handset: Handset
    private let device: AppDevice

    init() throws {
        handset = try Handset(seed: 450)
        handset.policy = OpeningPolicy(service: OpeningPolicy.AllowedNames(userInfo: ["mention"]))
        device = try handset.launch(rights: [.timeSensitive, .critical, .call], role: .service, name: "Ada")
        handset.display.mentionName = "mention"
    }

    private func shown(
        _ threadID: String = "t",
        level: Message.InterruptionLevel? = .timeSensitive,
        mentions: Bool = false
    ) throws -> NotificationContent {
        var message = Message(title: "Lunch", body: "At noon?", threadID: threadID)
        message.level = level
        if mentions { message.userInfo = ["mention": .bool(true)] }
        return try shown(message)
    }

    private func shown(_ message: Message) throws -> NotificationContent {
        defer { handset.pass(.seconds(1)) }
        return handset.show(try handset.push(message, to: device), requestID: "request \(handset.now.milliseconds)")
    }

    @Test func `a muted message is shown without sound, and lights no screen`() throws {
        #expect(try shown().sound == .default)
        try device.setMuted([MutedThread(threadID: "t")])
        let content = try shown()
        #expect(content.kind == .muted && content.body == "At noon?" && content.sender?.displayName == "Ada")
        #expect(content.sound == nil && content.level == .passive && !content.isSuppressed)
        #expect(try shown("u").kind == .opened && shown("").kind == .opened)
        try device.setMuted([])
        #expect(try shown().kind == .opened)
    }

    @Test func `a conversation is muted until its time and no longer`() throws {
        let end = handset.now.advanced(by: .seconds(60))
        try device.setMuted([MutedThread(threadID: "t", until: end)])
        #expect(try shown().kind == .muted)
        handset.now = end.advanced(by: .milliseconds(-1))
        #expect(try shown().kind == .muted)
        handset.now = end
        #expect(try shown().kind == .opened)
    }

    @Test func `a mention is muted unless the person lets it pass`() throws {
        try device.setMuted([MutedThread(threadID: "t")])
        #expect(try shown(mentions: true).kind == .muted)
        try device.setMuted([MutedThread(threadID: "t", passesMentions: true)])
        #expect(try shown(mentions: true).kind == .opened)
        #expect(try shown(mentions: false).kind == .muted)
    }

    @Test func `a critical alert by right is not muted, and one without the right is`() throws {
        try device.setMuted([MutedThread(threadID: "t")])
        #expect(try shown(level: .critical).level == .critical)
        var contacts = ContactList()
        try contacts.add(Contact(key: handset.sender.publicKey, name: "Ada"))
        try device.setContacts(contacts)
        #expect(try shown(level: .critical).kind == .muted)
    }

    @Test func `a call in a muted conversation is none the less a call`() throws {
        try device.setMuted([MutedThread(threadID: "t")])
        var message = Message(threadID: "t")
        message.operation = .call("offer")
        let prepared = try handset.preparedAsAlert(message, lifetime: .seconds(60))
        let content = handset.show(try handset.push(prepared, to: handset.recipient(device)))
        #expect(content.kind == .call && content.sound == .default)
    }

    @Test func `a muted message that is shown counts, and one that is not shown does not`() throws {
        try device.setBadge(3)
        try device.setMuted([MutedThread(threadID: "t")])
        #expect(try shown().badge == 4)
        handset.display[.muted].isSuppressed = true
        #expect(try shown().body == Handset.texts.neutral && device.badge() == 4)
        handset.display.hasFilteringEntitlement = true
        let content = try shown()
        #expect(content.isSuppressed && content.badge == nil)
        #expect(try device.badge() == 4)
        var message = Message(body: "x", threadID: "t")
        message.badge = 9
        #expect(try shown(message).badge == 9)
    }

    @Test func `attachments come with a muted message, and leave it muted`() throws {
        let content = Samples.content(of: .muted)
        #expect(content.takesAttachments)
        let missing = MissingAttachment(id: try #require(Samples.attachment()).id, reason: .overBudget)
        #expect(content.with(FetchedAttachments(ready: [], missing: [missing])).kind == .muted)
    }

    @Test func `the longest list is read whole, and a longer one mutes nothing`() throws {
        let threads = (0..<AppDevice.mutedCountMax).map { MutedThread(threadID: "\($0)") }
        try device.setMuted(threads)
        #expect(try shown("999").kind == .muted && shown("1000").kind == .opened)
        let bytes = MutedThreads.bytes(of: threads + [MutedThread(threadID: "t")])
        try WholeFile.write(bytes, to: handset.folder.path("group/sealedpush.muted"), access: .ownerOnly)
        #expect(try shown("999").kind == .opened && shown().kind == .opened)
    }

    @Test func `a damaged list mutes nothing, and no bytes trap`() throws {
        let bytes = MutedThreads.bytes(of: [MutedThread(threadID: "t"), MutedThread(threadID: "u")])
        func isMuted(_ bytes: [UInt8]) -> Bool {
            MutedThreads.isMuted("t", isMention: false, now: handset.now, in: bytes)
        }
        #expect(isMuted(bytes))
        let whole = [29, 54]
        for count in 0..<bytes.count where !whole.contains(count) { #expect(!isMuted(Array(bytes[..<count]))) }
        #expect(!isMuted(bytes + [0]) && !isMuted(bytes.map { $0 ^ 0xFF }))
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        for _ in 0..<300 {
            _ = isMuted(Array("SPM1".utf8) + random.bytes(count: Int.random(in: 0..<200, using: &random)))
        }
    }
}
