import Envelope
import Primitives
import TestSupport
import Testing

@testable import Opening
@testable import Sealing

struct RoundTripTests {
    @Test func `a sealed message opens on its device`() throws {
        var pair = try Pair(seed: 1)
        let message = Message(title: "Ada", subtitle: "Work", body: "Lunch at 1? 🍜", threadID: "t1")
        let sealed = try pair.seal(message)
        let outcome = pair.opener.outcome(sealedField: sealed.envelope.field, now: Pair.start)
        let expected = OpenedMessage(
            message: message,
            messageID: sealed.messageID,
            sentAt: Pair.start,
            expiresAt: Pair.start.advanced(by: .seconds(3_600)),
            sender: pair.sender.publicKey,
            contactName: nil,
            isTruncated: false
        )
        #expect(outcome == .opened(expected))
    }

    @Test func `200 random messages come back as they were, shortened ones marked`() throws {
        let seed = RunSeed.here()
        var pair = try Pair(seed: seed)
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            let message = Message.random(using: &random)
            let sealed = try pair.seal(message)
            guard case .opened(let opened) = pair.opener.outcome(sealedField: sealed.envelope.field, now: Pair.start)
            else {
                Issue.record("not opened, seed \(seed)")
                continue
            }
            #expect(opened.isTruncated == sealed.isTruncated, "seed \(seed)")
            #expect(opened.message.title == message.title, "seed \(seed)")
            if sealed.isTruncated {
                #expect(message.body.hasPrefix(opened.message.body), "seed \(seed)")
            } else {
                #expect(opened.message == message, "seed \(seed)")
            }
        }
    }

    @Test func `a 5 KB body is shortened on a grapheme boundary and marked`() throws {
        var pair = try Pair(seed: 2)
        let body = String(repeating: "👩‍👩‍👧‍👦 né ", count: 200)
        #expect(body.utf8.count > 5_000)
        let sealed = try pair.seal(Message(title: "Long", body: body))
        #expect(sealed.isTruncated)
        guard case .opened(let opened) = pair.opener.outcome(sealedField: sealed.envelope.field, now: Pair.start) else {
            Issue.record("not opened")
            return
        }
        #expect(opened.isTruncated)
        #expect(Array(body).starts(with: Array(opened.message.body)))
        #expect(opened.message.body.utf8.count > 2_600)
    }

    @Test func `a 5 KB body is refused with the excess in bytes where shortening is not wanted`() throws {
        var pair = try Pair(seed: 3)
        let body = String(repeating: "x", count: 5_000)
        // {"body":"…"} is 11 bytes beside the text; the room is 2,690.
        #expect(
            refusal { try pair.seal(Message(body: body), overflow: .refuse) } as? SealingError
                == .message(.tooLong(excessByteCount: 5_011 - 2_690))
        )
    }

    @Test func `every alert payload of one placeholder has the same length`() throws {
        var pair = try Pair(seed: 4)
        let placeholder = try Placeholder(title: "Acme Chat", body: "You have a new message")
        for body in ["x", String(repeating: "y", count: 500), String(repeating: "z", count: 5_000)] {
            #expect(try pair.seal(Message(body: body)).payload(placeholder: placeholder).count == 3_976)
        }
    }

    @Test func `sealing draws a new ephemeral key, message id and trace each time`() throws {
        var pair = try Pair(seed: 5)
        var keys: Set<[UInt8]> = []
        var ids: Set<MessageID> = []
        var traces: Set<Trace> = []
        for _ in 0..<500 {
            let sealed = try pair.seal(Message(body: "same"))
            keys.insert(sealed.envelope.encapsulatedKey)
            ids.insert(sealed.messageID)
            traces.insert(sealed.trace)
        }
        #expect(keys.count == 500)
        #expect(ids.count == 500)
        #expect(traces.count == 500)
    }

    @Test func `the system's random source differs between two calls of the public entry point`() throws {
        let pair = try Pair(seed: 6)
        let recipient = try pair.recipient()
        let one = try pair.sender.seal(Message(body: "x"), for: recipient, sentAt: Pair.start)
        let other = try pair.sender.seal(Message(body: "x"), for: recipient, sentAt: Pair.start)
        #expect(one.envelope.encapsulatedKey != other.envelope.encapsulatedKey)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(7 * 86_400) + .milliseconds(1)])
    func `a lifetime that devices would refuse is not sealed`(_ lifetime: Duration) throws {
        var pair = try Pair(seed: 7)
        #expect(
            refusal { try pair.seal(Message(body: "x"), lifetime: lifetime) } as? SealingError
                == .lifetime(lifetimeMax: .seconds(7 * 86_400))
        )
    }

    private func refusal(_ body: () throws -> SealedMessage) -> (any Error)? {
        do {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }
}

extension Message {
    static func random(using random: inout SeededRandom) -> Message {
        let alphabet: [Character] = [
            "a", "é", "\u{65}\u{301}", "漢", "🇨🇭", "👩‍👩‍👧‍👦", "\"", "\\", "\n", "\u{7}", "\u{202E}", " ",
        ]
        func text(_ countMax: Int) -> String {
            String(
                (0..<Int.random(in: 0...countMax, using: &random)).map { _ in
                    alphabet.randomElement(using: &random) ?? "a"
                }
            )
        }
        return Message(title: "t" + text(20), subtitle: text(10), body: text(600), threadID: text(5))
    }
}
