/// Milliseconds since 1970-01-01 00:00 UTC.
public struct Timestamp: Comparable, Hashable, Sendable {
    /// JSON's largest safe integer.
    package static let millisecondsMax: UInt64 = (1 << 53) - 1

    /// Number; an untrusted one may exceed `millisecondsMax`.
    public let milliseconds: UInt64

    /// Creates a time.
    public init(milliseconds: UInt64) { self.milliseconds = milliseconds }

    /// Adds `duration`; saturates instead of wrapping.
    public func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let distance = seconds.multipliedReportingOverflow(by: 1_000)
        let milliseconds = distance.overflow ? (seconds < 0 ? Int64.min : .max) : distance.partialValue
        let step = milliseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        let total = step.overflow ? milliseconds : step.partialValue
        let magnitude = total.magnitude
        if total < 0 {
            return Timestamp(milliseconds: self.milliseconds > magnitude ? self.milliseconds - magnitude : 0)
        }
        let sum = self.milliseconds.addingReportingOverflow(magnitude)
        return Timestamp(milliseconds: sum.overflow ? .max : sum.partialValue)
    }

    /// Negative if this is earlier.
    package func duration(since other: Timestamp) -> Duration {
        self >= other
            ? .milliseconds(Int64(clamping: milliseconds - other.milliseconds))
            : .zero - .milliseconds(Int64(clamping: other.milliseconds - milliseconds))
    }

    /// Orders by time.
    public static func < (one: Timestamp, other: Timestamp) -> Bool { one.milliseconds < other.milliseconds }
}
