import Envelope
import Testing

@testable import Keys

/// Every limit in time, and one millisecond beside it.
struct KeyBundleTimeTests {
    @Test(arguments: TimeCase.all)
    fileprivate func `times decide as the protocol says`(_ time: TimeCase) {
        let device = Device(seed: 130)
        for entry in 0..<2 {
            let refusal = device.refusal(now: Timestamp(milliseconds: time.now), classes: [1, 2]) { bundle in
                // The other entry is valid whenever this one could be.
                for index in 0..<2 {
                    bundle.entries[index].notBefore = time.now
                    bundle.entries[index].notAfter = time.now
                }
                bundle.entries[entry].notBefore = time.notBefore
                bundle.entries[entry].notAfter = time.notAfter
                bundle.issuedAt = time.issuedAt
            }
            // With an impossible clock the other entry fails first.
            if time.now < 1 << 53 || entry == 0 { #expect(refusal == time.expected, "entry \(entry)") }
        }
    }
}

private struct TimeCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let notBefore: UInt64
    let notAfter: UInt64
    let now: UInt64
    let issuedAt: UInt64
    /// nil: accepted.
    let expected: KeyBundleError?

    init(
        _ description: String,
        from notBefore: UInt64,
        to notAfter: UInt64,
        now: UInt64 = start,
        issuedAt: UInt64 = start,
        _ expected: KeyBundleError?
    ) {
        testDescription = description
        (self.notBefore, self.notAfter, self.now, self.issuedAt) = (notBefore, notAfter, now, issuedAt)
        self.expected = expected
    }

    private static let start = BundleBytes.now.milliseconds
    private static let day = BundleBytes.day
    private static let end: UInt64 = 1 << 53
    private static let skew: UInt64 = 300_000

    static var all: [TimeCase] { validity + now + endOfTime }

    private static let validity = [
        TimeCase("60 days", from: start, to: start + 60 * day, nil),
        TimeCase("60 days less 1 ms", from: start, to: start + 60 * day - 1, nil),
        TimeCase("60 days and 1 ms", from: start, to: start + 60 * day + 1, .validityTooLong),
        TimeCase("a moment", from: start, to: start, nil),
        TimeCase("ends before it begins", from: start, to: start - 1, .validityTooLong),
    ]

    private static let now = [
        TimeCase("5 minutes ahead", from: start + skew, to: start + day, nil),
        TimeCase("5 minutes less 1 ms ahead", from: start + skew - 1, to: start + day, nil),
        TimeCase(
            "5 minutes and 1 ms ahead",
            from: start + skew + 1,
            to: start + day,
            .notYetValid(from: Timestamp(milliseconds: start + skew + 1))
        ),
        TimeCase("ends now", from: start - day, to: start, nil),
        TimeCase("ends in 1 ms", from: start - day, to: start + 1, nil),
        TimeCase(
            "ended 1 ms ago",
            from: start - day,
            to: start - 1,
            .expired(at: Timestamp(milliseconds: start - 1))
        ),
        TimeCase("a clock of 1970", from: 0, to: 60 * day, now: 0, nil),
        TimeCase(
            "a bundle of today under a clock of 1970",
            from: start,
            to: start + day,
            now: 0,
            .notYetValid(from: Timestamp(milliseconds: start))
        ),
    ]

    private static let endOfTime = [
        TimeCase("the last time there is", from: end - day, to: end - 1, now: end - 1, nil),
        TimeCase("ends at 2^53", from: end - day, to: end, now: end - day, .validityTooLong),
        TimeCase("begins at 2^53", from: end, to: end, now: end - 1, .validityTooLong),
        TimeCase("begins and ends at 2^64 - 1", from: .max, to: .max, .validityTooLong),
        TimeCase("begins at 0 and ends at 2^64 - 1", from: 0, to: .max, .validityTooLong),
        TimeCase("begins at 2^64 - 1 and ends at 0", from: .max, to: 0, .validityTooLong),
        TimeCase(
            "a clock of 2^64 - 1",
            from: start,
            to: start + day,
            now: .max,
            .expired(at: Timestamp(milliseconds: start + day))
        ),
        TimeCase("issued at 2^53 - 1", from: start, to: start + day, issuedAt: end - 1, nil),
        TimeCase("issued at 2^53", from: start, to: start + day, issuedAt: end, .malformed),
        TimeCase("issued at 2^64 - 1", from: start, to: start + day, issuedAt: .max, .malformed),
    ]
}
