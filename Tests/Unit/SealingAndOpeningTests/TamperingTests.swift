import Envelope
import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening
@testable import Sealing

struct TamperingTests {
    /// Row 24. Eight tests so that they run in parallel; together every bit of the 2,880 bytes.
    @Test(arguments: 0..<8)
    func `every single bit of an envelope, flipped, makes it open as nothing (abuse case 24)`(_ bit: Int) throws {
        var pair = try Pair(seed: 20)
        let bytes = try pair.seal(Message(title: "Ada", body: "Hello")).envelope.bytes
        let opener = pair.opener
        var counts: [Outcome: Int] = [:]
        for offset in 0..<bytes.count {
            var flipped = bytes
            flipped[offset] ^= 1 << bit
            counts[opener.outcome(sealedField: String(sealedFieldOf: flipped), now: Pair.start), default: 0] += 1
        }
        // Byte 0 is the version, byte 1 the suite, 2 ... 9 the prekey id; the rest must not show where it failed.
        #expect(counts == [.unsupported: 2, .unknownKey: 8, .malformed: 2_870])
    }

    @Test func `a sealed field truncated at every length is malformed (abuse case 25)`() throws {
        var pair = try Pair(seed: 21)
        let field = try pair.seal(Message(body: "Hello")).envelope.sealedField
        let opener = pair.opener
        for count in 0..<field.count {
            let text = String(decoding: field[..<count], as: UTF8.self)
            #expect(opener.outcome(sealedField: text, now: Pair.start) == .malformed)
        }
    }

    @Test func `one character more is malformed`() throws {
        var pair = try Pair(seed: 22)
        let field = try pair.seal(Message(body: "Hello")).envelope.field
        for extra in ["A", "=", "\n", " ", "\u{0}"] {
            #expect(pair.opener.outcome(sealedField: field + extra, now: Pair.start) == .malformed)
        }
    }

    @Test(arguments: ["+", "/", "=", " ", "\n", "é", "\u{0}", "%", "."])
    func `a character outside the alphabet is malformed, wherever it stands`(_ character: String) throws {
        var pair = try Pair(seed: 23)
        let field = Array(try pair.seal(Message(body: "Hello")).envelope.field)
        for position in [0, 1, 2, 3, 1_000, field.count - 1] {
            var changed = field
            changed[position] = Character(character)
            #expect(pair.opener.outcome(sealedField: String(changed), now: Pair.start) == .malformed)
        }
    }

    @Test func `a message for another device is an unknown key`() throws {
        var pair = try Pair(seed: 24)
        let other = try Pair(seed: 25)
        let field = try pair.seal(Message(body: "Hello")).envelope.field
        #expect(other.opener.outcome(sealedField: field, now: Pair.start) == .unknownKey)
    }

    @Test func `a message with another device's prekey id opens as nothing (abuse cases 26 and 35)`() throws {
        var pair = try Pair(seed: 26)
        var other = try Pair(seed: 27)
        let bytes = try pair.seal(Message(body: "Hello")).envelope.bytes
        let otherBytes = try other.seal(Message(body: "Hello")).envelope.bytes
        let swapped = otherBytes[..<10] + bytes[10...]
        #expect(other.opener.outcome(sealedField: String(sealedFieldOf: Array(swapped)), now: Pair.start) == .malformed)
    }

    @Test func `an encapsulated key swapped between two messages opens neither`() throws {
        var pair = try Pair(seed: 28)
        let one = try pair.seal(Message(body: "one")).envelope.bytes
        let two = try pair.seal(Message(body: "two")).envelope.bytes
        let swapped = Array(one[..<10] + two[10..<42] + one[42...])
        #expect(pair.opener.outcome(sealedField: String(sealedFieldOf: swapped), now: Pair.start) == .malformed)
    }

    @Test func `a low-order encapsulated key opens as nothing (abuse case 21)`() throws {
        var pair = try Pair(seed: 29)
        let bytes = try pair.seal(Message(body: "Hello")).envelope.bytes
        let changed = Array(bytes[..<10]) + [UInt8](repeating: 0, count: 32) + Array(bytes[42...])
        #expect(pair.opener.outcome(sealedField: String(sealedFieldOf: changed), now: Pair.start) == .malformed)
    }

    @Test func `a device whose topic differs opens nothing`() throws {
        var pair = try Pair(seed: 30)
        let otherTopic = KeyRing(
            topic: try BundleID("com.example.chat.voip"),
            identity: pair.device.identity,
            prekeys: pair.device.keyRing.prekeys
        )
        let field = try pair.seal(Message(body: "Hello")).envelope.field
        let opener = MessageOpener(keyRing: otherTopic, senders: ContactList(people: [pair.sender.publicKey]))
        #expect(opener.outcome(sealedField: field, now: Pair.start) == .malformed)
    }

    @Test func `random bytes of the right length open as nothing`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let pair = try Pair(seed: 31)
        for _ in 0..<500 {
            var bytes = random.bytes(count: 2_880)
            if Bool.random(using: &random) { bytes[0] = 1 }
            if Bool.random(using: &random) { bytes[1] = 1 }
            if Bool.random(using: &random) { bytes.replaceSubrange(2..<10, with: pair.device.keyRing.prekeys[0].id) }
            let outcome = pair.opener.outcome(sealedField: String(sealedFieldOf: bytes), now: Pair.start)
            #expect([.malformed, .unknownKey, .unsupported].contains(outcome), "seed \(seed)")
        }
    }
}
