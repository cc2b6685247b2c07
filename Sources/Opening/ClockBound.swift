import Envelope

/// What a message's times must satisfy, and whether the device's clock can be believed (protocol v1, rule 25).
struct ClockBound {
    /// How far clocks may differ.
    static let skewMax: Duration = .seconds(5 * 60)

    /// The device's clock.
    let now: Timestamp
    /// LB (docs/protocol.md, section 9).
    let lowerBound: Timestamp

    enum Verdict: Equatable {
        case inTime, malformed, expired, fromTheFuture
    }

    /// A clock before what has certainly passed is wrong.
    var isTrusted: Bool { now >= lowerBound.advanced(by: .zero - Self.skewMax) }

    /// - Parameters:
    ///   - sentAt: what the sender signed.
    ///   - expiresAt: what the sender signed.
    ///   - lifetimeMax: L, the longest life that the app accepts.
    /// - Returns: whether the times are possible, and whether they fit now.
    func judge(sentAt: Timestamp, expiresAt: Timestamp, lifetimeMax: Duration) -> Verdict {
        guard expiresAt.milliseconds <= Timestamp.millisecondsMax, sentAt < expiresAt,
            expiresAt <= sentAt.advanced(by: lifetimeMax)
        else { return .malformed }
        // A clock that is certainly wrong tells nothing about the future; what the bound has passed is over.
        guard isTrusted else { return expiresAt <= lowerBound ? .expired : .inTime }
        guard now < expiresAt else { return .expired }
        return sentAt <= now.advanced(by: Self.skewMax) ? .inTime : .fromTheFuture
    }
}
