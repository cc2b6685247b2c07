import Envelope
import Keys
import Opening
import Sealing
import TestSupport
import Testing

@testable import NotificationCore

struct ShownContentTests {
    @Test(arguments: [
        "\u{200B}\u{200B}", "\u{2060}", "\u{FEFF}", "\u{00AD}", " \u{3000}\t", "\u{202E}", "\u{2066}\u{2069}", "\n\n",
        "\u{115F}\u{3164}", "\u{1}\u{7F}",
    ])
    func `a text with nothing to see in it shows the app's words (abuse case 20)`(_ text: String) throws {
        let handset = try Handset(seed: 160)
        let device = try handset.launch()
        for message in [Message(title: text, body: text), Message(title: text), Message(body: text)] {
            let content = handset.show(try handset.push(message, to: device))
            guard case .opened = content.outcome else {
                Issue.record("\(content.outcome)")
                continue
            }
            #expect(content.isAppsOwn)
        }
        let titled = handset.show(try handset.push(Message(title: "Ada", subtitle: text, body: text), to: device))
        #expect(titled.title == "Ada")
        #expect(titled.subtitle.isEmpty && titled.body.isEmpty)
    }

    @Test func `an override in a text turns nothing around (abuse case 20)`() throws {
        let handset = try Handset(seed: 161)
        let device = try handset.launch()
        let content = handset.show(try handset.push(Message(title: "a\u{202E}b", body: "c\u{2067}d"), to: device))
        #expect(content.title == "ab")
        #expect(content.body == "cd")
    }

    @Test(arguments: ["remove", "badge", "call", "test"])
    func
        `an operation without a text shows the app's words and none of the message's (protocol v1, rule 27, rule 28, rule 29)`(
            _ name: String
        ) throws
    {
        let handset = try Handset(seed: 162)
        let device = try handset.launch(rights: [.call], role: .service)
        let target = MessageID(bytes: [UInt8](repeating: 7, count: 16))
        let operations: [String: Message.Operation] = [
            "remove": .remove(target), "badge": .badge, "call": .call("offer"), "test": .test,
        ]
        var message = Message(title: "Words", subtitle: "of", body: "the sender")
        message.operation = try #require(operations[name])
        if name == "badge" { message.badge = 3 }
        let prepared = try handset.preparedAsAlert(message, lifetime: .seconds(60))
        let content = handset.show(try handset.push(prepared, to: handset.recipient(device)))
        guard case .opened(let opened) = content.outcome else {
            Issue.record("\(content.outcome)")
            return
        }
        #expect(opened.message.operation == message.operation)
        #expect(content.isAppsOwn)
    }

    @Test func `an operation beyond the sender's rights shows the app's words (protocol v1, rule 22, rule 29)`() throws
    {
        let handset = try Handset(seed: 163)
        let device = try handset.launch()
        for operation in [Message.Operation.badge, .call("offer")] {
            var message = Message(title: "Words", body: "of the sender")
            message.operation = operation
            if operation == .badge { message.badge = 3 }
            let prepared = try handset.preparedAsAlert(message, lifetime: .seconds(60))
            let content = handset.show(try handset.push(prepared, to: handset.recipient(device)))
            #expect(content.outcome == .notPermitted)
            #expect(content.isAppsOwn)
        }
    }

    @Test func `a replacement shows its own words, and an older one the app's (protocol v1, rule 27)`() throws {
        let handset = try Handset(seed: 164)
        let device = try handset.launch()
        let original = try handset.prepared(Message(body: "First"))
        #expect(handset.show(try handset.push(original, to: handset.recipient(device))).body == "First")
        handset.pass(.seconds(1))
        var old = Message(body: "Older")
        old.operation = .replace(original.messageID)
        let older = try handset.push(old, to: device)
        handset.pass(.seconds(1))
        var new = Message(body: "Newer")
        new.operation = .replace(original.messageID)
        #expect(handset.show(try handset.push(new, to: device)).body == "Newer")
        let late = handset.show(older)
        #expect(late.outcome == .superseded)
        #expect(late.isAppsOwn)
    }
}
