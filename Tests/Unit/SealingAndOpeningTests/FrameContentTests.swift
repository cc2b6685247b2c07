import Envelope
import Keys
import TestSupport
import Testing

@testable import Opening
@testable import Sealing

/// Frames that are well sealed and well signed, and still not to be shown.
struct FrameContentTests {
    @Test func `the first and the last padding byte, not zero, make a frame malformed`() throws {
        var pair = try Pair(seed: 60)
        let frame = pair.frame()
        for offset in [Frame.bodyOffset + frame.body.count, PushClass.alert.frameByteCount(.x25519) - 1] {
            let field = try pair.seal(frame: frame) { $0[offset] = 1 }.field
            #expect(pair.opener.outcome(sealedField: field, now: Pair.start) == .malformed)
        }
    }

    @Test(arguments: 8..<16)
    func `an unknown critical flag is unsupported`(_ bit: UInt16) throws {
        var pair = try Pair(seed: 61)
        let field = try pair.seal(frame: pair.frame(flags: 1 << bit)).field
        #expect(pair.opener.outcome(sealedField: field, now: Pair.start) == .unsupported)
    }

    @Test(arguments: 1..<8)
    func `an unknown flag that may be ignored is ignored`(_ bit: UInt16) throws {
        var pair = try Pair(seed: 62)
        let field = try pair.seal(frame: pair.frame(flags: 1 << bit)).field
        guard case .opened = pair.opener.outcome(sealedField: field, now: Pair.start) else {
            Issue.record("not opened")
            return
        }
    }

    @Test(arguments: [
        (#"{"body":"x","op":"poll"}"#, Outcome.unsupported),
        (#"{"body":"x","crit":["poll"]}"#, .unsupported),
        (#"{"body":"x","op":1}"#, .malformed),
        (#"{"body":"x","target":"AAAAAAAAAAAAAAAAAAAAAA"}"#, .malformed),
        (#"{"body":"x","crit":"body"}"#, .malformed),
        (#"{"body":1}"#, .malformed),
        (#"{"body":"x","body":"y"}"#, .malformed),
        (#"{"body":"x","\u0062ody":"y"}"#, .malformed),
        (#"{"body":"x",}"#, .malformed),
        (#"{"title":"","body":""}"#, .malformed),
        (#"{}"#, .malformed),
        (#"[]"#, .malformed),
        (#""x""#, .malformed),
        (#"{"body":"x"} "#, .opened(body: "x")),
        (#"{"body":"x","colour":{"deep":[1,2]}}"#, .opened(body: "x")),
    ])
    func `a sealed body ends as the protocol says`(_ body: String, _ expected: Outcome) throws {
        var pair = try Pair(seed: 63)
        let field = try pair.seal(frame: pair.frame(body: body)).field
        let outcome = pair.opener.outcome(sealedField: field, now: Pair.start)
        if case .opened(let opened) = outcome {
            #expect(Outcome.opened(body: opened.message.body) == expected)
        } else {
            #expect(outcome == expected)
        }
    }

    @Test(arguments: TimeCase.all)
    fileprivate func `times decide as the protocol says (protocol v1, rule 25; abuse cases 46 and 47)`(_ time: TimeCase)
        throws
    {
        var pair = try Pair(seed: 64)
        let field = try pair.seal(frame: pair.frame(sentAt: time.sentAt, expiresAt: time.expiresAt)).field
        let outcome = pair.opener.outcome(sealedField: field, now: Timestamp(milliseconds: time.now))
        switch (outcome, time.expected) {
        case (.opened, nil): break
        default: #expect(outcome == time.expected)
        }
    }
}

private struct TimeCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let sentAt: UInt64
    let expiresAt: UInt64
    let now: UInt64
    /// nil: opened.
    let expected: Outcome?

    init(_ description: String, sent: UInt64, expires: UInt64, now: UInt64, _ expected: Outcome?) {
        (testDescription, sentAt, expiresAt, self.now, self.expected) = (description, sent, expires, now, expected)
    }

    static let all: [TimeCase] = {
        let start = Pair.start.milliseconds
        let day: UInt64 = 86_400_000
        let build = OpeningPolicy.buildDate.milliseconds
        return [
            TimeCase("just sent", sent: start, expires: start + 1, now: start, nil),
            TimeCase("the last millisecond", sent: start, expires: start + 10, now: start + 9, nil),
            TimeCase("expired now", sent: start, expires: start + 10, now: start + 10, .expired),
            TimeCase("expired long ago", sent: start, expires: start + 10, now: start + 100 * day, .expired),
            TimeCase("five minutes ahead", sent: start + 300_000, expires: start + day, now: start, nil),
            TimeCase(
                "more than five minutes ahead",
                sent: start + 300_001,
                expires: start + day,
                now: start,
                .clockUntrusted
            ),
            TimeCase(
                "a hundred years ahead",
                sent: start + 36_500 * day,
                expires: start + 36_501 * day,
                now: start,
                .clockUntrusted
            ),
            TimeCase("expires when sent", sent: start, expires: start, now: start, .malformed),
            TimeCase("expires before sent", sent: start, expires: start - 1, now: start, .malformed),
            TimeCase("seven days", sent: start, expires: start + 7 * day, now: start, nil),
            TimeCase("more than seven days", sent: start, expires: start + 7 * day + 1, now: start, .malformed),
            TimeCase("the end of time", sent: .max - 1, expires: .max, now: start, .malformed),
            TimeCase("the last time there is", sent: 1 << 53 - 2, expires: 1 << 53 - 1, now: 1 << 53 - 2, nil),
            TimeCase("2^53", sent: 1 << 53 - 1, expires: 1 << 53, now: 1 << 53 - 1, .malformed),
            TimeCase("a clock of 1970", sent: start, expires: start + day, now: 0, nil),
            TimeCase(
                "a clock of 1970 and a message older than the app",
                sent: build - 2 * day,
                expires: build - day,
                now: 0,
                .expired
            ),
            TimeCase("a clock of 2106", sent: start, expires: start + day, now: 4_294_967_295_000, .expired),
        ]
    }()
}

extension Outcome {
    /// Stands for "opened with this body" in a table.
    static func opened(body: String) -> Outcome {
        .opened(
            OpenedMessage(
                message: Message(body: body),
                messageID: MessageID(bytes: [UInt8](repeating: 0, count: 16)),
                sentAt: Pair.start,
                expiresAt: Pair.start,
                sender: placeholderSender,
                contactName: nil,
                isTruncated: false
            )
        )
    }

    private static let placeholderSender: SenderKey = {
        var random = SeededRandom(seed: 1)
        return SenderIdentity(random: &random).publicKey
    }()
}
