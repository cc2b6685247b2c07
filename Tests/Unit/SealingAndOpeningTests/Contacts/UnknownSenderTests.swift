import Envelope
import Keys
import TestSupport
import Testing

@testable import Opening
@testable import Sealing

/// Messages with a good signature by a sender without a pin.
struct UnknownSenderTests {
    @Test(arguments: UnknownSenderPolicy.allCases)
    func `a stranger's key goes as far as the app's policy lets it, and its words nowhere`(
        _ policy: UnknownSenderPolicy
    )
        throws
    {
        var pair = try Pair(seed: 630)
        let field = try pair.seal(Message(body: "Hello")).envelope.field
        let opener = MessageOpener(keyRing: pair.device.keyRing, senders: ContactList(unknownSenders: policy))
        let outcome = opener.outcome(sealedField: field, now: Pair.start)
        switch policy {
        case .placeholder: #expect(outcome == .unverifiedSender(pair.sender.publicKey))
        case .refuse: #expect(outcome == .malformed)
        }
    }

    @Test func `what claims to be of a stranger and is badly signed is malformed, and gives no contact request`() throws
    {
        var pair = try Pair(seed: 631)
        let field = try pair.seal(frame: pair.frame()) { $0[68] ^= 1 }.field
        let opener = MessageOpener(keyRing: pair.device.keyRing, senders: ContactList())
        #expect(opener.outcome(sealedField: field, now: Pair.start) == .malformed)
    }

    @Test func `a contact that is removed is a stranger again`() throws {
        var pair = try Pair(seed: 632)
        let field = try pair.seal(Message(body: "Hello")).envelope.field
        var list = ContactList(people: [pair.sender.publicKey])
        let known = MessageOpener(keyRing: pair.device.keyRing, senders: list)
        guard case .opened = known.outcome(sealedField: field, now: Pair.start) else {
            Issue.record("not opened")
            return
        }
        list.remove(pair.sender.publicKey)
        let opener = MessageOpener(keyRing: pair.device.keyRing, senders: list)
        #expect(opener.outcome(sealedField: field, now: Pair.start) == .unverifiedSender(pair.sender.publicKey))
    }
}
