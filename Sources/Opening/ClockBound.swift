import Envelope

/// The check of a message's times and of the device's clock (protocol v1, rule 25).
struct ClockBound {
    /// The greatest difference between two clocks that is accepted.
    static let skewMax: Duration = .seconds(5 * 60)

    let now: Timestamp
    /// LB (docs/protocol.md, section 9).
    let lowerBound: Timestamp

    enum Verdict: Equatable {
        case inTime, malformed, expired, fromTheFuture
    }

    /// True unless the clock is behind a time that has certainly passed.
    var isTrusted: Bool { now >= lowerBound.advanced(by: .zero - Self.skewMax) }

    /// Judges the signed times of a message.
    ///
    /// - Parameter lifetimeMax: L, the longest life that the app accepts.
    func judge(sentAt: Timestamp, expiresAt: Timestamp, lifetimeMax: Duration) -> Verdict {
        guard expiresAt.milliseconds <= Timestamp.millisecondsMax, sentAt < expiresAt,
            expiresAt <= sentAt.advanced(by: lifetimeMax)
        else { return .malformed }
        // A wrong clock proves nothing about the future. A message that ends before the lower bound has expired.
        guard isTrusted else { return expiresAt <= lowerBound ? .expired : .inTime }
        guard now < expiresAt else { return .expired }
        return sentAt <= now.advanced(by: Self.skewMax) ? .inTime : .fromTheFuture
    }
}
