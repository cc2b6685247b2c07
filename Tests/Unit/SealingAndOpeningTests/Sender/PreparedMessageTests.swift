import Envelope
import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening
@testable import Sealing

/// One message, many devices; and the same message once more.
struct PreparedMessageTests {
    @Test func `a fan-out is one message under an encapsulation for each device (protocol v1, rule 11)`() throws {
        var pair = try Pair(seed: 400)
        let devices = try (0..<40).map { try Device(seed: 401 + $0) }
        let recipients = try devices.map { try $0.recipient() }
        let prepared = try pair.prepare(Message(title: "Ada", body: "Lunch at one?"))
        let results = pair.sender.seal(prepared, for: recipients, now: Pair.start)
        let sealed = try results.map { try $0.get() }

        #expect(sealed.allSatisfy { $0.messageID == prepared.messageID })
        #expect(Set(sealed.map(\.envelope.encapsulatedKey)).count == devices.count)
        #expect(Set(sealed.map(\.envelope.ciphertext)).count == devices.count)
        #expect(Set(sealed.map(\.trace)).count == devices.count)
        let expected = OpenedMessage(
            message: Message(title: "Ada", body: "Lunch at one?"),
            messageID: prepared.messageID,
            sentAt: prepared.sentAt,
            expiresAt: prepared.expiresAt,
            sender: pair.sender.publicKey,
            contactName: nil,
            isTruncated: false
        )
        for (index, message) in sealed.enumerated() {
            let opener = devices[index].opener(trusting: pair.sender.publicKey)
            #expect(opener.outcome(sealedField: message.envelope.field, now: Pair.start) == .opened(expected))
            let neighbour = devices[(index + 1) % devices.count].opener(trusting: pair.sender.publicKey)
            #expect(neighbour.outcome(sealedField: message.envelope.field, now: Pair.start) == .unknownKey)
        }
    }

    @Test func `a copy of one device, put under another's prekey id, opens nowhere (protocol v1, rule 11)`() throws {
        var pair = try Pair(seed: 410)
        let devices = [try Device(seed: 411), try Device(seed: 412)]
        let recipients = try devices.map { try $0.recipient() }
        let prepared = try pair.prepare(Message(body: "Hello"))
        let sealed = try pair.sender.seal(prepared, for: recipients, now: Pair.start).map { try $0.get().envelope }
        for (one, other) in [(0, 1), (1, 0)] {
            let bytes = Array(sealed[other].bytes[..<10] + sealed[one].bytes[10...])
            let withKey = Array(sealed[other].bytes[..<42] + sealed[one].bytes[42...])
            let opener = devices[other].opener(trusting: pair.sender.publicKey)
            #expect(opener.outcome(sealedField: String(sealedFieldOf: bytes), now: Pair.start) == .malformed)
            #expect(opener.outcome(sealedField: String(sealedFieldOf: withKey), now: Pair.start) == .malformed)
        }
    }

    @Test func `what cannot be sealed for one device keeps nothing from the others`() throws {
        var pair = try Pair(seed: 420)
        let devices = try (0..<3).map { try Device(seed: 421 + $0) }
        // The second device's bundle is so old that it ends before the message is sealed.
        let now = Pair.start.advanced(by: .seconds(30 * 86_400))
        let old = Pair.start.advanced(by: .seconds(-31 * 86_400))
        let recipients = [
            try devices[0].recipient(madeAt: Pair.start), try devices[1].recipient(madeAt: old),
            try devices[2].recipient(madeAt: Pair.start),
        ]
        let prepared = try pair.prepare(Message(body: "Hello"), sentAt: now)
        let results = pair.sender.seal(prepared, for: recipients, now: now)
        #expect(results.count == 3)
        #expect(results.map(\.isSuccess) == [true, false, true])
        let end = old.advanced(by: KeyBundle.validityMax)
        guard case .failure(let error) = results[1] else { return }
        #expect(error == .prekeyExpired(at: end))
    }

    @Test func `a re-send keeps id and times under a new encapsulation (protocol v1, rule 20)`() throws {
        var pair = try Pair(seed: 430)
        let prepared = try pair.prepare(Message(body: "Hello"))
        let recipient = try pair.recipient()
        let first = try pair.sender.seal(prepared, for: recipient, now: Pair.start)
        let later = Pair.start.advanced(by: .seconds(1_800))
        let second = try pair.sender.seal(prepared, for: recipient, now: later)
        #expect(first.envelope.encapsulatedKey != second.envelope.encapsulatedKey)
        #expect(first.trace != second.trace)
        #expect(first.messageID == second.messageID)
        let outcomes = [first, second].map { pair.opener.outcome(sealedField: $0.envelope.field, now: later) }
        #expect(outcomes[0] == outcomes[1])
        guard case .opened(let opened) = outcomes[1] else {
            Issue.record("not opened")
            return
        }
        #expect(opened.sentAt == Pair.start)
    }

    @Test func `a message is made again from what went into it (protocol v1, rule 20)`() throws {
        var pair = try Pair(seed: 440)
        let message = Message(title: "Ada", body: String(repeating: "long ", count: 1_000))
        let first = try pair.prepare(message)
        let again = try PreparedMessage(
            resending: message,
            messageID: first.messageID,
            sentAt: first.sentAt,
            expiresAt: first.expiresAt
        )
        let sender = pair.sender.publicKey.rawRepresentation
        #expect(again.frame(from: sender) == first.frame(from: sender))
        #expect(again.isTruncated && first.isTruncated)
    }

    @Test func `one message is never sealed under two suites (protocol v1, rule 18)`() throws {
        var pair = try Pair(seed: 450)
        var prepared = try pair.prepare(Message(body: "Hello"))
        let recipient = try pair.recipient()
        prepared.suite = 2
        let sender = pair.sender
        let error = refusal { () throws(SealingError) in
            _ = try sender.seal(prepared, for: recipient, now: Pair.start)
        }
        #expect(error == .otherSuite)
        #expect(sender.seal(prepared, for: [recipient], now: Pair.start).map(\.isSuccess) == [false])
    }

    @Test func `message ids are the random source's, 16 bytes each, and no two are the same`() throws {
        var random = SeededRandom(seed: 460)
        var copy = random
        var ids: Set<MessageID> = []
        for _ in 0..<100 {
            let prepared = try Self.prepare(lifetime: .seconds(1), random: &random)
            #expect(prepared.messageID.rawRepresentation == copy.bytes(count: 16))
            ids.insert(prepared.messageID)
        }
        #expect(ids.count == 100)
        #expect(
            try PreparedMessage(Message(body: "x"), sentAt: Pair.start).messageID
                != PreparedMessage(Message(body: "x"), sentAt: Pair.start).messageID
        )
    }

    @Test func `a message that has expired is not sealed again`() throws {
        var pair = try Pair(seed: 470)
        let prepared = try pair.prepare(Message(body: "Hello"))
        let recipient = try pair.recipient()
        let sender = pair.sender
        for (milliseconds, isSealed) in [(-1, true), (0, false), (1, false)] as [(Int64, Bool)] {
            let now = prepared.expiresAt.advanced(by: .milliseconds(milliseconds))
            let error = refusal { () throws(SealingError) in _ = try sender.seal(prepared, for: recipient, now: now) }
            #expect(error == (isSealed ? nil : .expired(at: prepared.expiresAt)))
        }
    }

    private static func prepare(lifetime: Duration, random: inout SeededRandom) throws -> PreparedMessage {
        try PreparedMessage(
            Message(body: "Hello"),
            sentAt: Pair.start,
            lifetime: lifetime,
            lifetimeMax: PreparedMessage.lifetimeMax,
            overflow: .refuse,
            pushClass: .alert,
            suite: .x25519,
            random: &random
        )
    }
}

private final class Device: Sendable {
    private let keys: DeviceKeys

    init(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        keys = DeviceKeys(topic: try BundleID(Pair.topic), random: &random)
    }

    func recipient(madeAt time: Timestamp = Pair.start) throws -> Recipient {
        try Recipient(
            bundle: keys.bundle(now: time),
            pinnedIdentity: keys.identity,
            topic: keys.topic,
            withoutPinsAt: time
        )
    }

    func opener(trusting sender: SenderKey) -> MessageOpener {
        MessageOpener(keyRing: keys.keyRing, senders: ContactList(people: [sender]))
    }
}

extension Pair {
    mutating func prepare(_ message: Message, sentAt: Timestamp = Pair.start) throws -> PreparedMessage {
        try PreparedMessage(
            message,
            sentAt: sentAt,
            lifetime: .seconds(3_600),
            lifetimeMax: PreparedMessage.lifetimeMax,
            overflow: .shorten,
            pushClass: .alert,
            suite: .x25519,
            random: &random
        )
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
