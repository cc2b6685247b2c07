import Envelope
import HPKE
import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening
@testable import Sealing

struct SenderTests {
    @Test func `a well signed message of an unknown sender is unverified, and says by whom`() throws {
        var pair = try Pair(seed: 40)
        let field = try pair.seal(Message(body: "Hello")).envelope.field
        let opener = MessageOpener(keyRing: pair.device.keyRing, senders: ContactList(people: []))
        #expect(opener.outcome(sealedField: field, now: Pair.start) == .unverifiedSender(pair.sender.publicKey))
    }

    @Test func `an unsigned frame is malformed`() throws {
        var pair = try Pair(seed: 41)
        let field = try pair.seal(frame: pair.frame(), signs: false).field
        #expect(pair.opener.outcome(sealedField: field, now: Pair.start) == .malformed)
    }

    @Test(arguments: 0..<64)
    func `a signature with one byte changed is malformed`(_ index: Int) throws {
        var pair = try Pair(seed: 42)
        let field = try pair.seal(frame: pair.frame()) { $0[68 + index] ^= 0x10 }.field
        #expect(pair.opener.outcome(sealedField: field, now: Pair.start) == .malformed)
    }

    @Test(arguments: [0, 15, 16, 23, 24, 31, 32, 63, 65, 67])
    func `each signed field changed after signing is malformed`(_ offset: Int) throws {
        var pair = try Pair(seed: 43)
        let field = try pair.seal(frame: pair.frame()) { $0[offset] ^= 1 }.field
        #expect(pair.opener.outcome(sealedField: field, now: Pair.start) == .malformed)
    }

    @Test func `a body changed after signing is malformed`() throws {
        var pair = try Pair(seed: 44)
        let field = try pair.seal(frame: pair.frame()) { $0[140] ^= 1 }.field
        #expect(pair.opener.outcome(sealedField: field, now: Pair.start) == .malformed)
    }

    @Test func `a frame signed by another key than it names is malformed`() throws {
        var pair = try Pair(seed: 45)
        let other = try Pair(seed: 46)
        var frame = pair.frame()
        frame.senderKey = other.sender.publicKey.rawRepresentation
        let field = try pair.seal(frame: frame).field
        #expect(pair.opener.outcome(sealedField: field, now: Pair.start) == .malformed)
    }

    @Test func `a frame that names a small-order sender key is malformed`() throws {
        var pair = try Pair(seed: 47)
        var frame = pair.frame()
        frame.senderKey = [1] + [UInt8](repeating: 0, count: 31)
        let field = try pair.seal(frame: frame).field
        #expect(pair.opener.outcome(sealedField: field, now: Pair.start) == .malformed)
    }

    /// Row 31: B opens A's message and seals it, signature and all, to C.
    @Test func `a message forwarded under its old signature is malformed for its new recipient`() throws {
        var pair = try Pair(seed: 48)
        let other = try Pair(seed: 49)
        let envelope = try pair.seal(Message(body: "for B")).envelope
        let recipient = try other.recipient()
        let plaintext = try HPKE.open(
            envelope.ciphertext[...],
            encapsulatedKey: envelope.encapsulatedKey,
            with: pair.device.keyRing.prekeys[0].key,
            info: try pair.recipient().info
        )
        let sealed = try HPKE.seal(plaintext, to: recipient.prekey.key, info: recipient.info, random: &pair.random)
        let forwarded = Envelope(
            pushClass: .alert,
            header: recipient.header,
            encapsulatedKey: sealed.encapsulatedKey,
            ciphertext: sealed.ciphertext
        )
        let opener = MessageOpener(
            keyRing: other.device.keyRing,
            senders: ContactList(people: [pair.sender.publicKey])
        )
        #expect(opener.outcome(sealedField: forwarded.field, now: Pair.start) == .malformed)
    }
}
