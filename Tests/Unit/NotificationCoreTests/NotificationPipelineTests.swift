import Envelope
import Foundation
import Opening
import TestSupport
import Testing

@testable import NotificationCore

struct NotificationPipelineTests {
    @Test func `a sealed push shows its message and keeps only the trace`() throws {
        let phone = try Phone(seed: 1)
        let push = try phone.push(Message(title: "Ada", subtitle: "Work", body: "Lunch?", threadID: "t"))
        let content = phone.pipeline.content(userInfo: push, now: Phone.start)
        #expect(content.title == "Ada")
        #expect(content.subtitle == "Work")
        #expect(content.body == "Lunch?")
        #expect(content.threadID == "t")
        #expect(content.trace == push["trace"] as? String)
    }

    @Test func `a shortened text ends with an ellipsis`() throws {
        let phone = try Phone(seed: 2)
        let push = try phone.push(Message(body: String(repeating: "word ", count: 1_000)))
        #expect(phone.pipeline.content(userInfo: push, now: Phone.start).body.hasSuffix("…"))
    }

    @Test(arguments: FailingPush.all)
    fileprivate func `a failure shows the app's own words and nothing of the push`(_ failing: FailingPush) throws {
        let phone = try Phone(seed: 3, trustsSender: failing.trustsSender, installsKeys: failing.installsKeys)
        var push = try phone.push(Message(title: "Ada", body: "Hello"))
        failing.change(&push)
        let content = phone.pipeline.content(userInfo: push, now: failing.now)
        #expect(failing.isExpected(content.outcome), "\(content.outcome)")
        #expect(content.title == Phone.texts.title)
        #expect(content.body == failing.body)
        #expect(content.subtitle == "")
        #expect(content.threadID == "")
    }

    @Test func `what a relay puts beside the sealed field does not survive`() throws {
        let phone = try Phone(seed: 4)
        var push = try phone.push(Message(body: "Hello"))
        push["aps"] =
            ["alert": "evil", "category": "evil", "sound": "evil", "thread-id": "evil", "badge": 9] as [String: Any]
        push["url"] = "https://evil.example"
        push["trace"] = "evil"
        let content = phone.pipeline.content(userInfo: push, now: Phone.start)
        #expect(content.body == "Hello")
        #expect(content.threadID == "")
        #expect(content.trace == nil)
    }

    @Test func `keys that the app rotates between two pushes are read anew`() throws {
        let phone = try Phone(seed: 5)
        let pipeline = phone.pipeline
        let push = try phone.push(Message(body: "Hello"))
        #expect(pipeline.content(userInfo: push, now: Phone.start).body == "Hello")
        try FileManager.default.removeItem(at: phone.folder.appendingPathComponent("sealedpush-keys/ring.secret"))
        #expect(pipeline.content(userInfo: push, now: Phone.start).outcome == .keysUnavailable)
    }

    @Test func `without a container there is still something to show`() {
        let pipeline = NotificationPipeline(containerPath: nil, display: DisplayPolicy(texts: Phone.texts))
        #expect(pipeline.content(userInfo: ["sealed": "x"], now: Phone.start).body == Phone.texts.newMessage)
        #expect(pipeline.neutralContent.body == Phone.texts.newMessage)
    }
}

/// Row 110: one way for a push not to be shown, and its required words.
private struct FailingPush: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var body = Phone.texts.newMessage
    var now = Phone.start
    var trustsSender = true
    var installsKeys = true
    var change: @Sendable (inout [AnyHashable: Any]) -> Void = { _ in }
    let isExpected: @Sendable (Outcome) -> Bool

    static let all = [
        FailingPush(testDescription: "no sealed field", change: { $0["sealed"] = nil }) { $0 == .notSealed },
        FailingPush(testDescription: "a number", change: { $0["sealed"] = 7 }) { $0 == .malformed },
        FailingPush(testDescription: "a dictionary", change: { $0["sealed"] = ["a": "b"] }) { $0 == .malformed },
        FailingPush(testDescription: "a second format", change: { $0["webpush"] = "x" }) { $0 == .malformed },
        FailingPush(testDescription: "an empty string", change: { $0["sealed"] = "" }) { $0 == .malformed },
        FailingPush(testDescription: "a changed byte", change: { $0.changeSealed(at: 3_000) }) { $0 == .malformed },
        FailingPush(testDescription: "another prekey id", change: { $0.changeSealed(at: 8) }) { $0 == .unknownKey },
        FailingPush(
            testDescription: "a newer version",
            body: Phone.texts.updateNeeded,
            change: { $0.changeSealed(at: 0) }
        ) { $0 == .unsupported },
        FailingPush(
            testDescription: "expired",
            body: Phone.texts.expired,
            now: Phone.start.advanced(by: .seconds(60))
        ) { $0 == .expired },
        FailingPush(testDescription: "from the future", now: Phone.start.advanced(by: .seconds(-301))) {
            $0 == .clockUntrusted
        },
        FailingPush(testDescription: "an unknown sender", trustsSender: false) {
            if case .unverifiedSender = $0 { true } else { false }
        },
        FailingPush(testDescription: "no keys", installsKeys: false) { $0 == .keysUnavailable },
    ]
}

extension [AnyHashable: Any] {
    fileprivate mutating func changeSealed(at index: Int) {
        guard var characters = (self["sealed"] as? String).map(Array.init) else { return }
        characters[index] = characters[index] == "B" ? "C" : "B"
        self["sealed"] = String(characters)
    }
}
