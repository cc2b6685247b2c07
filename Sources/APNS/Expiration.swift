/// Until when APNs may keep a push and try again: the value of `apns-expiration`.
///
/// Absent is a third state (APNs's own policy, 30 days at most), so it is an `Expiration?` everywhere.
///
/// - Source: "Sending notification requests to APNs", `apns-expiration`.
public struct Expiration: Hashable, Sendable {
    /// UNIX time in seconds; 0 means one attempt and no storing.
    public let unixSeconds: UInt64

    /// One attempt; not stored.
    public static let oneAttempt = Expiration(unixSeconds: 0)

    /// - Parameter unixSeconds: UNIX time in seconds; 0 means one attempt and no storing.
    public init(unixSeconds: UInt64) { self.unixSeconds = unixSeconds }

    /// - Parameter headerValue: 1 ... 19 ASCII digits, no sign and nothing around them.
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

    /// The bytes of `apns-expiration`: decimal digits.
    package var headerValue: [UInt8] {
        var text: [UInt8] = []
        appendHeaderValue(to: &text)
        return text
    }

    /// Appends the bytes of `apns-expiration`.
    package func appendHeaderValue(to text: inout [UInt8]) {
        var rest = unixSeconds
        var digitCount = 1
        while rest >= 10 {
            rest /= 10
            digitCount += 1
        }
        rest = unixSeconds
        var offset = text.count + digitCount
        text.append(contentsOf: repeatElement(0, count: digitCount))
        for _ in 0..<digitCount {
            offset -= 1
            text[offset] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Whether a push that could not be delivered at once may still be kept at `now` (UNIX seconds).
    public func allowsStoring(at now: Int64) -> Bool { unixSeconds > UInt64(clamping: now) }
}
