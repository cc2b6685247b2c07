import TestSupport
import Testing

@testable import Envelope

struct MessageShorteningTests {
    @Test(arguments: [
        "a", "é", "e\u{301}", "\"", "\\", "\n", "\r\n", "\u{1}", "日", "한", "👍🏽", "👨‍👩‍👧‍👦", "🇩🇪", "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "o\u{308}\u{304}\u{323}", "क्षि",
    ])
    func `a long body keeps as many whole characters as fit, and not one fewer`(_ character: String) throws {
        #expect(character.count == 1)
        for head in 0..<30 {
            let title = String(repeating: "t", count: head + 1)
            try expectLongestPrefix(of: Message(title: title, body: String(repeating: character, count: 5_000)))
        }
    }

    @Test(arguments: [RunSeed.here()])
    func `random texts are cut at a character's end, as far right as fits`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            let message = Message(
                title: RandomText.make(count: 0...20, using: &random),
                subtitle: RandomText.make(count: 0...5, using: &random),
                body: RandomText.make(count: 1_500...2_500, using: &random),
                threadID: RandomText.make(count: 0...5, using: &random)
            )
            try expectLongestPrefix(of: message, "seed \(seed)")
        }
    }

    @Test(arguments: 1...40)
    func `a family, a flag or an accent at the very edge goes as a whole or stays as a whole`(_ room: Int) throws {
        let message = Message(title: "t", body: "a👨‍👩‍👧‍👦🇩🇪e\u{301}z")
        let byteCountMax = #"{"title":"t","body":""}"#.utf8.count + room
        let encoded = try message.encoded(byteCountMax: byteCountMax, overflow: .shorten)
        let expected =
            switch room {
            case ..<26: "a"
            case ..<34: "a👨‍👩‍👧‍👦"
            case ..<37: "a👨‍👩‍👧‍👦🇩🇪"
            case ..<38: "a👨‍👩‍👧‍👦🇩🇪e\u{301}"
            default: message.body
            }
        #expect(try Message(sealedBody: encoded.json).body.utf8.elementsEqual(expected.utf8))
        #expect(encoded.isTruncated == (room < 38))
    }

    @Test func `a regional indicator never finds a new neighbour`() throws {
        let flags = String(repeating: "🇩🇪🇫🇷🇪🇸", count: 500)
        let encoded = try Message(body: flags).encoded(byteCountMax: alertRoom, overflow: .shorten)
        let body = try Message(sealedBody: encoded.json).body
        #expect(body.unicodeScalars.count.isMultiple(of: 2))
        #expect(Set(body) == ["🇩🇪", "🇫🇷", "🇪🇸"])
    }

    @Test func `only the body is shortened`() throws {
        let message = Message(
            title: "title",
            subtitle: "sub",
            body: String(repeating: "b", count: 9_000),
            threadID: "id"
        )
        let encoded = try message.encoded(byteCountMax: alertRoom, overflow: .shorten)
        let read = try Message(sealedBody: encoded.json)
        #expect((read.title, read.subtitle, read.threadID) == ("title", "sub", "id"))
        #expect(encoded.json.count == alertRoom && encoded.isTruncated)
    }

    @Test func `where the title leaves no room the body goes altogether, and the message is marked`() throws {
        let title = String(repeating: "t", count: alertRoom - #"{"title":""}"#.utf8.count)
        let encoded = try Message(title: title, body: "hello").encoded(byteCountMax: alertRoom, overflow: .shorten)
        #expect(encoded.isTruncated && encoded.json.count == alertRoom)
        #expect(try Message(sealedBody: encoded.json).isSpelledLike(Message(title: title)))
    }

    @Test(arguments: ["", "b", String(repeating: "b", count: 5_000)], [1, 310])
    func `a title that is too long alone is refused, with what the title has to lose`(_ body: String, _ excess: Int) {
        let room = alertRoom - #"{"title":""}"#.utf8.count
        let message = Message(title: String(repeating: "t", count: room + excess), body: body)
        #expect(throws: MessageError.tooLong(excessByteCount: excess)) {
            try message.encoded(byteCountMax: alertRoom, overflow: .shorten)
        }
    }

    @Test func `a single character longer than the room is refused and not cut`() {
        let zalgo = "a" + String(repeating: "\u{301}", count: 2_000)
        #expect(zalgo.count == 1)
        let excess = #"{"body":""}"#.utf8.count + 4_001 - alertRoom
        #expect(throws: MessageError.tooLong(excessByteCount: excess)) {
            try Message(body: zalgo + " and more").encoded(byteCountMax: alertRoom, overflow: .shorten)
        }
    }

    @Test func `without a title a subtitle may not push out the body's first character`() throws {
        let frame = #"{"subtitle":"","body":""}"#.utf8.count
        let fitting = Message(subtitle: String(repeating: "s", count: alertRoom - frame - 2), body: "éa")
        let encoded = try fitting.encoded(byteCountMax: alertRoom, overflow: .shorten)
        #expect(try Message(sealedBody: encoded.json).body == "é")
        let tooLong = Message(subtitle: fitting.subtitle + "s", body: fitting.body)
        #expect(throws: MessageError.tooLong(excessByteCount: 1)) {
            try tooLong.encoded(byteCountMax: alertRoom, overflow: .shorten)
        }
    }

    @Test(arguments: [RunSeed.here()])
    func `a message that loses the excess it was told is accepted, and one byte less is not enough`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            let title = String(repeating: "t", count: Int.random(in: 100...300, using: &random))
            let body = RandomText.make(count: 0...30, using: &random)
            let room = Int.random(in: 60...#"{"title":""}"#.utf8.count + title.utf8.count - 1, using: &random)
            func excess(_ title: some StringProtocol) -> Int? {
                switch refusal({ () throws(MessageError) in
                    _ = try Message(title: String(title), body: body).encoded(byteCountMax: room, overflow: .shorten)
                }) {
                case .tooLong(let excess): excess
                default: nil
                }
            }
            let told = excess(title)
            #expect(told != nil, "seed \(seed)")
            #expect(excess(title.dropLast(told ?? 0)) == nil, "seed \(seed)")
            #expect(excess(title.dropLast((told ?? 0) - 1)) == 1, "seed \(seed)")
        }
    }

    /// Expects the original's first characters, and no room for the next one.
    private func expectLongestPrefix(of message: Message, _ comment: Comment? = nil) throws {
        let encoded = try message.encoded(byteCountMax: alertRoom, overflow: .shorten)
        #expect(encoded.isTruncated && encoded.json.count <= alertRoom, comment)
        let kept = try Message(sealedBody: encoded.json)
        let end = try #require(characterEnd(in: message.body, at: kept.body.utf8.count), comment)
        #expect(message.body[..<end].utf8.elementsEqual(kept.body.utf8), comment)
        let next = try #require(message.body[end...].first, comment)
        var longer = message
        longer.body = String(message.body[..<end]) + String(next)
        #expect(
            refusal { () throws(MessageError) in _ = try longer.encoded(byteCountMax: alertRoom, overflow: .refuse) }
                != nil,
            comment
        )
        longer.body = kept.body
        #expect(longer.isSpelledLike(kept), comment)
    }

    /// The index at which the first characters of `text` have so many bytes; nil inside a character.
    private func characterEnd(in text: String, at utf8Count: Int) -> String.Index? {
        var count = 0
        for index in text.indices {
            guard count < utf8Count else { return count == utf8Count ? index : nil }
            count += text[index].utf8.count
        }
        return count == utf8Count ? text.endIndex : nil
    }
}
