import TestSupport
import Testing

@testable import Envelope

let alertRoom = PushClass.alert.bodyByteCountMax(.x25519)

extension Message {
    /// Compares bytes: `==` on strings, and so on messages, is Unicode equivalence.
    func isSpelledLike(_ other: Message) -> Bool {
        let texts: [KeyPath<Message, String>] = [\.title, \.subtitle, \.body, \.threadID]
        return self == other && texts.allSatisfy { self[keyPath: $0].utf8.elementsEqual(other[keyPath: $0].utf8) }
    }
}

struct MessageEncodingTests {
    @Test func `members stand in one order, and empty ones are left out`() throws {
        let message = Message(title: "t", subtitle: "s", body: "b", threadID: "i")
        let whole = try message.encoded(byteCountMax: 100, overflow: .refuse)
        #expect(
            String(decoding: whole.json, as: UTF8.self) == #"{"title":"t","subtitle":"s","body":"b","thread-id":"i"}"#
        )
        #expect(!whole.isTruncated)
        let bodyOnly = try Message(body: "b").encoded(byteCountMax: 100, overflow: .refuse)
        #expect(String(decoding: bodyOnly.json, as: UTF8.self) == #"{"body":"b"}"#)
    }

    @Test(arguments: [RunSeed.here()])
    func `random messages come back byte for byte`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<1_000 {
            let message = Message(
                title: RandomText.make(count: 1...12, using: &random),
                subtitle: RandomText.make(count: 0...6, using: &random),
                body: RandomText.make(count: 0...40, using: &random),
                threadID: RandomText.make(count: 0...3, using: &random)
            )
            let encoded = try message.encoded(byteCountMax: alertRoom, overflow: .refuse)
            #expect(!encoded.isTruncated, "seed \(seed)")
            #expect(try Message(sealedBody: encoded.json).isSpelledLike(message), "seed \(seed)")
        }
    }

    @Test func `nothing is normalised: two spellings of one letter stay two`() throws {
        let composed = Message(body: "\u{E9}")
        let decomposed = Message(body: "e\u{301}")
        #expect(try composed.encoded(byteCountMax: 100, overflow: .refuse).json.count == 13)
        let encoded = try decomposed.encoded(byteCountMax: 100, overflow: .refuse)
        #expect(encoded.json.count == 14)
        #expect(try Message(sealedBody: encoded.json).isSpelledLike(decomposed))
    }

    @Test(arguments: [Message(), Message(subtitle: "s"), Message(threadID: "t"), Message(subtitle: "s", threadID: "t")])
    func `refuses a message without title and body`(_ message: Message) {
        for overflow in [Message.Overflow.shorten, .refuse] {
            #expect(throws: MessageError.noText) { try message.encoded(byteCountMax: 100, overflow: overflow) }
        }
    }

    @Test(arguments: [
        Message(title: "a\u{0}b"), Message(title: "t", subtitle: "\u{0}"), Message(body: "\u{0}"),
        Message(body: "b", threadID: "x\u{0}"),
    ])
    func `refuses NUL in any text`(_ message: Message) {
        #expect(throws: MessageError.containsNUL) { try message.encoded(byteCountMax: 100, overflow: .shorten) }
    }

    @Test(arguments: [PushClass.alert, .voip])
    func `the longest body fits and one byte more is refused with an excess of one`(_ pushClass: PushClass) throws {
        let room = pushClass.bodyByteCountMax(.x25519)
        let longest = Message(body: String(repeating: "a", count: room - #"{"body":""}"#.utf8.count))
        #expect(try longest.encoded(byteCountMax: room, overflow: .refuse).json.count == room)
        #expect(try !longest.encoded(byteCountMax: room, overflow: .shorten).isTruncated)
        let longer = Message(body: longest.body + "a")
        #expect(throws: MessageError.tooLong(excessByteCount: 1)) {
            try longer.encoded(byteCountMax: room, overflow: .refuse)
        }
    }

    @Test(arguments: [("a", 1), ("é", 2), ("\"", 2), ("\n", 2), ("\u{1}", 6), ("👨‍👩‍👧‍👦", 25), ("🇩🇪", 8)])
    func `a body of 5,000 characters is refused with the excess in bytes as they are encoded`(
        _ character: String,
        _ encodedByteCount: Int
    ) {
        let message = Message(title: "Anna", body: String(repeating: character, count: 5_000))
        let excess = #"{"title":"Anna","body":""}"#.utf8.count + 5_000 * encodedByteCount - alertRoom
        #expect(throws: MessageError.tooLong(excessByteCount: excess)) {
            try message.encoded(byteCountMax: alertRoom, overflow: .refuse)
        }
    }
}
