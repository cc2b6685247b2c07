import Envelope
import HPKE
import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening
@testable import Sealing

/// A recipient's means with a message that it opened: it has the frame, its signature and every public key.
struct ForwardingTests {
    @Test func `surreptitious forwarding to another device is malformed there (abuse case 31)`() throws {
        var pair = try Pair(seed: 540)
        let other = try Pair(seed: 541)
        let frame = try pair.openedFrame()
        let forwarded = try pair.wrap(frame, for: try other.recipient())
        let opener = MessageOpener(
            keyRing: other.device.keyRing,
            senders: ContactList(people: [pair.sender.publicKey])
        )
        #expect(opener.outcome(sealedField: forwarded.field, now: Pair.start) == .malformed)
    }

    @Test func `a message re-wrapped for another prekey of the same device is malformed (abuse case 31)`() throws {
        var pair = try Pair(seed: 542)
        let frame = try pair.openedFrame()
        // The second prekey of one device, of the other class.
        let second = PrivatePrekey(
            key: X25519PrivateKey(random: &pair.random),
            suite: .x25519,
            protectionClass: .unlocked,
            identity: pair.device.identity
        )
        let keyRing = KeyRing(
            topic: pair.device.topic,
            identity: pair.device.identity,
            prekeys: pair.device.keyRing.prekeys + [second]
        )
        let opener = MessageOpener(keyRing: keyRing, senders: ContactList(people: [pair.sender.publicKey]))
        let header = EnvelopeHeader(suite: .x25519, prekeyID: Array(second.id))
        let info = Binding.info(
            header: header,
            topic: pair.device.topic,
            identityKey: pair.device.identity.rawRepresentation,
            prekeyFingerprint: second.fingerprint
        )
        let sealed = try HPKE.seal(frame, to: second.publicPrekey.key, info: info, random: &pair.random)
        let rewrapped = Envelope(
            pushClass: .alert,
            header: header,
            encapsulatedKey: sealed.encapsulatedKey,
            ciphertext: sealed.ciphertext
        )
        #expect(opener.outcome(sealedField: rewrapped.field, now: Pair.start) == .malformed)
        // The signature fails: the device has the key, and the frame is under it.
        let plaintext = try HPKE.open(
            rewrapped.ciphertext[...],
            encapsulatedKey: rewrapped.encapsulatedKey,
            with: second.key,
            info: info
        )
        #expect(plaintext == frame)
    }

    @Test func `a message re-wrapped under another app's topic is malformed (protocol v1, rule 5; abuse case 31)`()
        throws
    {
        var pair = try Pair(seed: 543)
        let other = try Pair(seed: 543, topic: "com.example.other")
        let frame = try pair.openedFrame()
        let rewrapped = try pair.wrap(frame, for: try other.recipient())
        #expect(other.opener.outcome(sealedField: rewrapped.field, now: Pair.start) == .malformed)
    }

    @Test func `a message re-wrapped for its own recipient is the same message, for the replay window to refuse`()
        throws
    {
        var pair = try Pair(seed: 544)
        let sealed = try pair.seal(Message(body: "Hello"))
        let frame = try pair.frame(of: sealed)
        let rewrapped = try pair.wrap(frame, for: try pair.recipient())
        #expect(rewrapped.encapsulatedKey != sealed.envelope.encapsulatedKey)
        guard case .opened(let opened) = pair.opener.outcome(sealedField: rewrapped.field, now: Pair.start) else {
            Issue.record("not opened")
            return
        }
        #expect(opened.messageID == sealed.messageID)
    }
}

extension Pair {
    fileprivate mutating func openedFrame() throws -> [UInt8] {
        try frame(of: try seal(Message(body: "for one device only")))
    }

    fileprivate func frame(of sealed: SealedMessage) throws -> [UInt8] {
        try HPKE.open(
            sealed.envelope.ciphertext[...],
            encapsulatedKey: sealed.envelope.encapsulatedKey,
            with: #require(device.keyRing.prekeys.first).key,
            info: recipient().info
        )
    }

    fileprivate mutating func wrap(_ frame: [UInt8], for recipient: Recipient) throws -> Envelope {
        let sealed = try HPKE.seal(frame, to: recipient.prekey.key, info: recipient.info, random: &random)
        return Envelope(
            pushClass: .alert,
            header: recipient.header,
            encapsulatedKey: sealed.encapsulatedKey,
            ciphertext: sealed.ciphertext
        )
    }
}
