import Envelope
import TestSupport
import Testing

@testable import Sealing

/// Times that a sender may put into a message, and one millisecond beside each limit.
struct LifetimeTests {
    private static let day: Int64 = 86_400_000
    private static let weekMax = SealingError.lifetime(lifetimeMax: .seconds(7 * 86_400))
    private static let cap = SealingError.lifetimeMax(cap: .seconds(30 * 86_400))

    private static let defaults: [(Duration, SealingError?)] = [
        (.zero, weekMax), (.nanoseconds(999_999), weekMax), (.milliseconds(1), nil), (.seconds(-1), weekMax),
        (.milliseconds(7 * day), nil), (.milliseconds(7 * day + 1), weekMax), (.milliseconds(30 * day), weekMax),
        (.seconds(Int64.max), weekMax), (.seconds(Int64.min), weekMax),
    ]

    @Test(arguments: defaults)
    func `without a word of the app a message lives up to 7 days`(_ lifetime: Duration, _ expected: SealingError?) {
        let error = refusal { () throws(SealingError) in
            _ = try PreparedMessage(Message(body: "x"), sentAt: Pair.start, lifetime: lifetime)
        }
        #expect(error == expected)
    }

    /// Lifetime and limit in milliseconds.
    private static let limits: [(Int64, Int64, SealingError?)] = [
        (30 * day, 30 * day, nil), (30 * day + 1, 30 * day, .lifetime(lifetimeMax: .milliseconds(30 * day))),
        (day, day, nil), (day + 1, day, .lifetime(lifetimeMax: .milliseconds(day))), (day, 30 * day + 1, cap),
        (day, .max, cap), (day, 0, .lifetime(lifetimeMax: .zero)), (day, -1, .lifetime(lifetimeMax: .milliseconds(-1))),
    ]

    @Test(arguments: limits)
    func `an app sets its own limit, up to 30 days`(_ lifetime: Int64, _ limit: Int64, _ expected: SealingError?) {
        let error = refusal { () throws(SealingError) in
            _ = try PreparedMessage(
                Message(body: "x"),
                sentAt: Pair.start,
                lifetime: .milliseconds(lifetime),
                lifetimeMax: .milliseconds(limit)
            )
        }
        #expect(error == expected)
    }

    private static let end: UInt64 = 1 << 53
    private static let ends: [(UInt64, Int64, SealingError?)] = [
        (end - 2, 1, nil), (end - 1, 1, .sentAt), (end - 2, 2, .sentAt), (end, 1, .sentAt), (.max, 1, .sentAt),
        (0, 1, nil),
    ]

    @Test(arguments: ends)
    func `times stay below 2^53 milliseconds`(_ sentAt: UInt64, _ milliseconds: Int64, _ expected: SealingError?) {
        let error = refusal { () throws(SealingError) in
            _ = try PreparedMessage(
                Message(body: "x"),
                sentAt: Timestamp(milliseconds: sentAt),
                lifetime: .milliseconds(milliseconds)
            )
        }
        #expect(error == expected)
    }

    private static let monthMax = SealingError.lifetime(lifetimeMax: .milliseconds(30 * day))
    private static let resends: [(Int64, SealingError?)] = [
        (0, monthMax), (-1, monthMax), (1, nil), (30 * day, nil), (30 * day + 1, monthMax),
    ]

    @Test(arguments: resends)
    func `a re-send keeps the same limits`(_ milliseconds: Int64, _ expected: SealingError?) {
        let error = refusal { () throws(SealingError) in
            _ = try PreparedMessage(
                resending: Message(body: "x"),
                messageID: MessageID(bytes: [UInt8](repeating: 1, count: 16)),
                sentAt: Pair.start,
                expiresAt: Pair.start.advanced(by: .milliseconds(milliseconds)),
                lifetimeMax: .milliseconds(30 * Self.day)
            )
        }
        #expect(error == expected)
    }
}
