import Envelope
import Keys
import Opening
import Testing

@testable import NotificationCore

/// Everything that a message can bring onto a screen, after its rights were applied.
struct ContentFieldsTests {
    private static var full: Message {
        var message = Message(title: "Ada", subtitle: "Work", body: "Lunch?", threadID: "t")
        message.category = "reply"
        message.sound = Message.Sound(name: "bell.caf", volume: UnitDecimal(tenThousandths: 2_500))
        message.level = .timeSensitive
        message.relevanceScore = UnitDecimal(tenThousandths: 7_500)
        message.targetContentID = "chat/7"
        message.userInfo = ["chat": .string("7"), "count": .integer(3), "isNew": .bool(true)]
        return message
    }

    private func content(_ message: Message, sound: DisplayPolicy.SoundRule = .messageOrDefault) -> NotificationContent
    {
        var display = DisplayPolicy(texts: Samples.texts)
        display[.opened].sound = sound
        return Samples.content(.opened(Samples.opened(message)), display: display)
    }

    @Test func `a message's members reach the content`() {
        let content = content(Self.full)
        #expect(content.title == "Ada" && content.subtitle == "Work" && content.body == "Lunch?")
        #expect(content.threadID == "t" && content.category == "reply")
        #expect(content.sound == .named("bell.caf"))
        #expect(content.level == .timeSensitive)
        #expect(content.relevanceScore == 0.75)
        #expect(content.targetContentID == "chat/7")
        #expect(content.info == Self.full.userInfo)
    }

    @Test(
        arguments: [
            (nil, Message.Sound?.none, NotificationContent.Sound.default),
            (nil, Message.Sound(name: "default"), .default), (nil, Message.Sound(name: "bell.caf"), .named("bell.caf")),
            (.critical, nil, .critical(name: nil, volume: nil)),
            (.critical, Message.Sound(name: "default"), .critical(name: nil, volume: nil)),
            (
                .critical, Message.Sound(name: "a.caf", volume: UnitDecimal(tenThousandths: 10_000)),
                .critical(name: "a.caf", volume: 1)
            ),
            (
                .critical, Message.Sound(name: "default", volume: UnitDecimal(tenThousandths: 0)),
                .critical(name: nil, volume: 0)
            ),
            (.active, Message.Sound(name: "a.caf", volume: UnitDecimal(tenThousandths: 10_000)), .named("a.caf")),
        ] as [(Message.InterruptionLevel?, Message.Sound?, NotificationContent.Sound)]
    )
    func `a sound is the message's, and critical only with the level`(
        _ level: Message.InterruptionLevel?,
        _ sound: Message.Sound?,
        _ expected: NotificationContent.Sound
    ) {
        var message = Message(body: "x")
        message.level = level
        message.sound = sound
        #expect(content(message).sound == expected)
        #expect(content(message, sound: .none).sound == nil)
        #expect(content(message, sound: .message).sound == (sound == nil ? nil : expected))
    }

    @Test func `of an identifier that no app made so long nothing is kept, and of others everything`() {
        for (count, isKept) in [(256, true), (257, false)] {
            let long = String(repeating: "x", count: count)
            var message = Message(body: "x", threadID: long)
            message.targetContentID = long
            #expect(content(message).threadID == (isKept ? long : ""))
            #expect(content(message).targetContentID == (isKept ? long : ""))
        }
        #expect(content(Message(body: "x", threadID: "a\u{202E}\u{200B}")).threadID == "a\u{202E}\u{200B}")
    }

    @Test func `the app finds outcome, sender and allowed values, and nothing else of the push`() throws {
        let userInfo = content(Self.full).userInfo
        #expect(Set(userInfo.keys) == ["sealedpush"])
        let sealed = try #require(userInfo["sealedpush"] as? [String: any Sendable])
        #expect(sealed["outcome"] as? String == "opened")
        #expect(sealed["sender"] as? String == Base64URL.string(Samples.sender.rawRepresentation))
        let info = try #require(sealed["info"] as? [String: any Sendable])
        #expect(info["chat"] as? String == "7" && info["count"] as? Int64 == 3 && info["isNew"] as? Bool == true)
    }

    @Test(arguments: OutcomeKind.allCases)
    func `user info names the outcome, and a sender only where somebody signed`(_ kind: OutcomeKind) throws {
        let content = Samples.content(of: kind)
        let sealed = try #require(content.userInfo["sealedpush"] as? [String: any Sendable])
        #expect(sealed["outcome"] as? String == kind.rawValue)
        let isSigned = [.opened, .openedWithoutAttachments, .remove, .badge, .call, .test, .unverifiedSender, .muted]
            .contains(
                kind
            )
        #expect((sealed["sender"] != nil) == isSigned)
        #expect(sealed["info"] == nil)
    }

    @Test func `a call is handed over and shows none of its words`() {
        let content = Samples.content(Samples.outcome(.call))
        #expect(content.call == "offer")
        #expect(content.body == Samples.texts.newMessage)
        #expect(Samples.content(Samples.outcome(.opened)).call == nil)
    }
}
