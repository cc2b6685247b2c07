import Envelope

/// Rules for a message's times and the device's clock (protocol v1, rule 25).
struct ClockBound {
    /// Accepted difference of two clocks.
    static let skewMax: Duration = .seconds(5 * 60)

    let now: Timestamp
    let lowerBound: Timestamp

    enum Verdict: Equatable {
        case inTime, malformed, expired, fromTheFuture
    }

    /// False for a clock behind a time that has certainly passed.
    var isTrusted: Bool { now >= lowerBound.advanced(by: .zero - Self.skewMax) }

    /// - Parameter lifetimeMax: L, the longest life that the app accepts.
    func judge(sentAt: Timestamp, expiresAt: Timestamp, lifetimeMax: Duration) -> Verdict {
        guard expiresAt.milliseconds <= Timestamp.millisecondsMax, sentAt < expiresAt,
            expiresAt <= sentAt.advanced(by: lifetimeMax)
        else { return .malformed }
        // A wrong clock proves nothing; a message that ends before the lower bound has expired.
        guard isTrusted else { return expiresAt <= lowerBound ? .expired : .inTime }
        guard now < expiresAt else { return .expired }
        return sentAt <= now.advanced(by: Self.skewMax) ? .inTime : .fromTheFuture
    }
}
