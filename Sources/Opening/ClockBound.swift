import Envelope

/// What a message's times must satisfy (protocol v1, rule 25).
struct ClockBound {
    /// How far clocks may differ.
    static let skewMax: Duration = .seconds(5 * 60)
    /// The longest life that the app accepts; Apple keeps a push for 30 days at most.
    static let lifetimeMax: Duration = .seconds(7 * 86_400)
    /// No device is older than the software on it: 2026-11-21. A clock before that is wrong.
    static let buildDate = Timestamp(milliseconds: 1_795_219_200_000)

    /// The device's clock.
    let now: Timestamp

    enum Verdict: Equatable {
        case inTime, malformed, expired, fromTheFuture
    }

    func judge(sentAt: Timestamp, expiresAt: Timestamp) -> Verdict {
        guard expiresAt.milliseconds <= Timestamp.millisecondsMax, sentAt < expiresAt,
            expiresAt <= sentAt.advanced(by: Self.lifetimeMax)
        else { return .malformed }
        // A clock that is certainly wrong can still tell what the build date expires, and nothing about the future.
        guard now >= Self.buildDate.advanced(by: .zero - Self.skewMax) else {
            return expiresAt <= Self.buildDate ? .expired : .inTime
        }
        guard now < expiresAt else { return .expired }
        return sentAt <= now.advanced(by: Self.skewMax) ? .inTime : .fromTheFuture
    }
}
