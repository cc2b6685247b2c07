/// Value of `apns-expiration`: the time until which APNs may store and retry a push.
///
/// Absence is a third state (APNs's own policy, 30 days at most), so the type is `Expiration?` everywhere.
///
/// - Source: "Sending notification requests to APNs", `apns-expiration`.
public struct Expiration: Hashable, Sendable {
    /// UNIX time in seconds; 0: one attempt, not stored.
    public let unixSeconds: UInt64

    /// One attempt; not stored.
    public static let oneAttempt = Expiration(unixSeconds: 0)

    /// - Parameter unixSeconds: 0: one attempt, not stored.
    public init(unixSeconds: UInt64) { self.unixSeconds = unixSeconds }

    /// - Parameter headerValue: 1 ... 19 ASCII digits.
    package init?(headerValue: Span<UInt8>) {
        guard (1...19).contains(headerValue.count) else { return nil }
        var seconds: UInt64 = 0
        for offset in headerValue.indices {
            let digit = headerValue[offset]
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            // 19 digits are below 10^19 < 2^64: neither operation can overflow.
            seconds = seconds * 10 + UInt64(digit - UInt8(ascii: "0"))
        }
        unixSeconds = seconds
    }

    package var headerValue: [UInt8] {
        var text: [UInt8] = []
        appendHeaderValue(to: &text)
        return text
    }

    package func appendHeaderValue(to text: inout [UInt8]) {
        let start = text.count
        text.append(contentsOf: repeatElement(0, count: digitCount))
        var span = text.mutableSpan
        writeHeaderValue(to: &span, at: start)
    }

    /// Overwrites `digitCount` bytes with the header's value.
    package func writeHeaderValue(to text: inout MutableSpan<UInt8>, at start: Int) {
        var rest = unixSeconds
        for offset in (0..<digitCount).reversed() {
            text[start + offset] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    package var digitCount: Int {
        var (rest, count) = (unixSeconds, 1)
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        return count
    }

    /// True if APNs may still store an undelivered push at `now` (UNIX seconds).
    public func allowsStoring(at now: Int64) -> Bool { unixSeconds > UInt64(clamping: now) }
}
