import Envelope
import Keys
import TestSupport
import Testing

@testable import Opening
@testable import Sealing

/// A call has a push class, a length and a lifetime of its own; all three follow from its operation.
struct CallTests {
    private static let id = MessageID(bytes: [UInt8](repeating: 1, count: 16))

    @Test func `a call is as long as a VoIP push may be, and opens as one`() throws {
        let pair = try Pair(seed: 500)
        let sealed = try pair.sender.seal(Self.call("room 7"), for: pair.recipient(), sentAt: Pair.start)
        #expect(sealed.isCall && sealed.envelope.bytes.count == 3_648)
        let payload = sealed.payload(placeholder: try Placeholder(title: "", body: "never in a call"))
        #expect(payload.count == 4_919)
        #expect(payload.starts(with: #"{"aps":{},"sealed":""#.utf8))
        #expect(try pair.open(sealed, as: .voip).operation == .call("room 7"))
    }

    @Test func `an opener for alerts does not take a call, nor one for calls an alert`() throws {
        let pair = try Pair(seed: 501)
        let call = try pair.sender.seal(Self.call("room 7"), for: pair.recipient(), sentAt: Pair.start)
        let alert = try pair.sender.seal(Message(body: "x"), for: pair.recipient(), sentAt: Pair.start)
        #expect(pair.outcome(of: call, as: .alert) == .malformed)
        #expect(pair.outcome(of: alert, as: .voip) == .malformed)
    }

    @Test(arguments: [Message.Operation.show, .replace(id), .remove(id), .badge, .test])
    func `nothing but a call is sealed as one, new or once more`(_ operation: Message.Operation) throws {
        let pair = try Pair(seed: 502)
        var message = Message(title: "Ada")
        message.operation = operation
        if operation == .badge { message.badge = 1 }
        let prepared = [
            try PreparedMessage(message, sentAt: Pair.start),
            try PreparedMessage(
                resending: message,
                messageID: Self.id,
                sentAt: Pair.start,
                expiresAt: Pair.start.advanced(by: .seconds(60))
            ),
        ]
        for message in prepared {
            let sealed = try pair.sender.seal(message, for: pair.recipient(), now: Pair.start)
            #expect(!sealed.isCall && sealed.envelope.bytes.count == 2_880)
        }
        #expect(try !pair.sender.seal(message, for: pair.recipient(), sentAt: Pair.start).isCall)
    }

    private static let tooLong = SealingError.callLifetime(lifetimeMax: .seconds(60))
    private static let weekMax = SealingError.lifetime(lifetimeMax: .seconds(7 * 86_400))
    private static let lifetimes: [(Duration, SealingError?)] = [
        (.zero, weekMax), (.milliseconds(1), nil), (.milliseconds(60_000), nil), (.milliseconds(60_001), tooLong),
        (.seconds(86_400), tooLong), (.seconds(Int64.max), tooLong),
    ]

    @Test(arguments: lifetimes)
    func `a call that would ring for more than a minute is refused while sealing (protocol v1, rule 29)`(
        _ lifetime: Duration,
        _ expected: SealingError?
    ) throws {
        let pair = try Pair(seed: 503)
        let recipient = try pair.recipient()
        let sender = pair.sender
        let fresh = refusal { () throws(SealingError) in
            _ = try PreparedMessage(Self.call("c"), sentAt: Pair.start, lifetime: lifetime)
        }
        let resent = refusal { () throws(SealingError) in
            _ = try PreparedMessage(
                resending: Self.call("c"),
                messageID: Self.id,
                sentAt: Pair.start,
                expiresAt: Pair.start.advanced(by: lifetime)
            )
        }
        let error = refusal { () throws(SealingError) in
            _ = try sender.seal(Self.call("c"), for: recipient, sentAt: Pair.start, lifetime: lifetime)
        }
        #expect([fresh, resent, error] == [expected, expected, expected])
    }

    @Test func `a call rings for 30 seconds where the sender says nothing, and anything else lives a day`() throws {
        let call = try PreparedMessage(Self.call("c"), sentAt: Pair.start)
        #expect(call.expiresAt == Pair.start.advanced(by: .seconds(30)))
        let alert = try PreparedMessage(Message(body: "x"), sentAt: Pair.start)
        #expect(alert.expiresAt == Pair.start.advanced(by: .seconds(86_400)))
        let pair = try Pair(seed: 504)
        let sealed = try pair.sender.seal(Self.call("c"), for: pair.recipient(), sentAt: Pair.start)
        guard case .opened(let opened) = pair.outcome(of: sealed, as: .voip) else {
            Issue.record("not opened")
            return
        }
        #expect(opened.expiresAt == Pair.start.advanced(by: .seconds(30)))
    }

    @Test func `a call that is sent again keeps its id and its times (protocol v1, rule 20)`() throws {
        let pair = try Pair(seed: 505)
        let first = try PreparedMessage(Self.call("room 7"), sentAt: Pair.start)
        let again = try PreparedMessage(
            resending: Self.call("room 7"),
            messageID: first.messageID,
            sentAt: first.sentAt,
            expiresAt: first.expiresAt
        )
        let later = Pair.start.advanced(by: .seconds(20))
        let sealed = try [first, again].map { try pair.sender.seal($0, for: pair.recipient(), now: later) }
        let outcomes = sealed.map { pair.outcome(of: $0, as: .voip, now: later) }
        #expect(sealed.allSatisfy(\.isCall) && outcomes[0] == outcomes[1])
    }

    @Test func `what the app says to itself in a call fits as a whole or is refused`() throws {
        let pair = try Pair(seed: 506)
        let room = PushClass.voip.bodyByteCountMax(.x25519) - #"{"op":"call","call":""}"#.utf8.count
        let longest = String(repeating: "c", count: room)
        let sealed = try pair.sender.seal(Self.call(longest), for: pair.recipient(), sentAt: Pair.start)
        #expect(try pair.open(sealed, as: .voip).operation == .call(longest))
        let error = refusal { () throws(SealingError) in
            _ = try PreparedMessage(Self.call(longest + "c"), sentAt: Pair.start)
        }
        #expect(error == .message(.tooLong(excessByteCount: 1)))
    }

    private static func call(_ text: String) -> Message {
        var message = Message()
        message.operation = .call(text)
        return message
    }
}

extension Pair {
    fileprivate func outcome(of sealed: SealedMessage, as pushClass: PushClass, now: Timestamp = Pair.start) -> Outcome
    {
        var contacts = ContactList()
        // It cannot fail: there is no name to refuse.
        guard let contact = try? Contact(key: sender.publicKey, rights: [.call]), (try? contacts.add(contact)) != nil
        else { return .notSealed }
        let opener = MessageOpener(keyRing: device.keyRing, contacts: contacts, replay: .none, pushClass: pushClass)
        return opener.outcome(sealedField: sealed.envelope.field, now: now)
    }

    fileprivate func open(_ sealed: SealedMessage, as pushClass: PushClass) throws -> Message {
        guard case .opened(let opened) = outcome(of: sealed, as: pushClass) else {
            throw EnvelopeError.wrongLength(count: 0)
        }
        return opened.message
    }
}
