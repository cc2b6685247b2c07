import Envelope
import Foundation
import Primitives
import TestSupport
import Testing

@testable import Sealing

/// Row 108: the clear part is a constant, whatever the message.
struct PayloadAllowListTests {
    /// Four times 2,500 messages.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `of 10,000 random payloads nothing differs but sealed text and trace, and no text shows through`(
        _ part: UInt64
    ) throws {
        let seed = (RunSeed.here() >> 1) + part
        var pair = try Pair(seed: seed)
        let placeholder = try Placeholder(title: "Acme Chat", body: "You have a new message")
        let recipient = try pair.recipient()
        let head = Data(
            #"{"aps":{"alert":{"title":"Acme Chat","body":"You have a new message"},"mutable-content":1},"sealed":""#
                .utf8
        )
        let middle = Data(#"","trace":""#.utf8)
        // In every text of every message, so that one search finds any of them.
        let marker = Base64URL.string(pair.random.bytes(count: 9))
        let needles = Self.spellings(of: marker)
        var wrongCount = 0
        for count in 0..<2_500 {
            let length = Int.random(in: 0...3_000, using: &pair.random)
            let body = marker + String(repeating: "n", count: length)
            let message = Message(title: marker + "\(count)", subtitle: marker, body: body, threadID: marker)
            let sealed = try pair.sender.seal(
                message,
                for: recipient,
                sentAt: Pair.start,
                lifetime: .seconds(60),
                overflow: .shorten,
                pushClass: .alert,
                random: &pair.random
            )
            let payload = Data(sealed.payload(placeholder: placeholder))
            let sealedEnd = head.count + 3_840
            let traceStart = sealedEnd + middle.count
            let isRight =
                payload.count == 3_976 && payload.prefix(head.count) == head
                && payload[sealedEnd..<traceStart] == middle && payload.suffix(2) == Data(#""}"#.utf8)
                && Trace(text: String(decoding: payload[traceStart..<traceStart + 22], as: UTF8.self)) != nil
                && payload[head.count..<sealedEnd].allSatisfy { $0 != UInt8(ascii: "\"") }
                && !needles.contains { payload.firstRange(of: $0) != nil }
            if !isRight { wrongCount += 1 }
        }
        #expect(wrongCount == 0, "seed \(seed)")
    }

    @Test func `the search finds a text that is there, plain or in base64 at each alignment`() {
        let needles = Self.spellings(of: "marker-text")
        for shift in 0..<4 {
            let plain = [UInt8](repeating: 7, count: shift) + Array("marker-text and more".utf8)
            #expect(needles.contains { Data(plain).firstRange(of: $0) != nil })
            #expect(needles.contains { Data(Base64URL.encode(plain)).firstRange(of: $0) != nil })
        }
    }

    /// A text as it is, and in base64 at the three alignments without the characters that its neighbours share.
    private static func spellings(of text: String) -> [Data] {
        let plain = Array(text.utf8)
        let encoded = (0..<3).map { shift in
            Base64URL.encode([UInt8](repeating: 0, count: shift) + plain).dropFirst(shift == 0 ? 0 : shift + 1)
                .dropLast(2)
        }
        return [Data(plain)] + encoded.map { Data($0) }
    }
}
