package import APNS

/// How one attempt ended.
package enum AttemptOutcome: Equatable, Sendable {
    /// APNs answered.
    case answered(status: Int, reason: Reason?, timestampMilliseconds: Int64?)
    /// Nothing of it was written to APNs: no connection, no room. It is no attempt.
    case notWritten
    /// APNs has certainly not acted on it: a GOAWAY, a refused stream.
    case notProcessed
    /// APNs may have acted on it.
    case ambiguous
    /// It would have broken a rule of Apple's; what APNs would have answered, if that is known.
    case notSendable(Reason?)
    /// The credential is not believed, and nothing was written. It is no attempt.
    case suspended
}

/// What the rules have to know of a notification.
package struct AttemptContext: Equatable, Sendable {
    package let lane: DispatchLane
    /// This attempt counted, 1 or more.
    package let attemptCount: Int
    /// After so many it is a dead letter; nil: until it expires.
    package let attemptCountMax: Int?
    package let hasCollapseID: Bool
    /// Milliseconds since 1970.
    package let expiresAt: Int64
    /// An earlier answer was ExpiredProviderToken.
    package let hadExpiredProviderToken: Bool
    /// How long it had waited when it was put off the last time, or for its retry; 0 if it never was.
    package let lastWaitMilliseconds: Int64

    package init(
        lane: DispatchLane,
        attemptCount: Int,
        attemptCountMax: Int? = nil,
        hasCollapseID: Bool = true,
        expiresAt: Int64,
        hadExpiredProviderToken: Bool = false,
        lastWaitMilliseconds: Int64 = 0
    ) {
        self.lane = lane
        self.attemptCount = attemptCount
        self.attemptCountMax = attemptCountMax
        self.hasCollapseID = hasCollapseID
        self.expiresAt = expiresAt
        self.hadExpiredProviderToken = hadExpiredProviderToken
        self.lastWaitMilliseconds = lastWaitMilliseconds
    }
}

/// What becomes of everybody after an attempt.
package struct Verdict: Equatable, Sendable {
    package enum Notification: Equatable, Sendable {
        case accepted
        /// The app is gone: done, and the tenant is told.
        case undeliverable
        case dead(DeadReason)
        /// Kept until somebody has mended the credential, or it expires.
        case parked
        case retry(atMilliseconds: Int64, isMaybeDuplicate: Bool)
        case expired
    }

    package enum DeadReason: Equatable, Sendable {
        case refused(Reason?, status: Int)
        case notSendable(Reason?)
        case attemptsExhausted
        /// APNs may have it, and there is no other try: without a collapse id a second one would be shown twice, or no
        /// attempt or no time is left.
        case outcomeUnknown
    }

    package enum Device: Equatable, Sendable {
        case keep
        case markReached
        case quarantine
        case deletePair
        /// Delete it if it was registered at or before this time, milliseconds since 1970.
        case deleteIfRegisteredBy(Int64)
        case slowDown(Duration)
    }

    package let notification: Notification
    package let device: Device
    /// As `Disposition` has it.
    package let lane: Disposition.Lane
}

/// The provider's decision table, as far as queue, device and credential go; the connections are the client's.
///
/// The rows are `Disposition`'s. Here is what they mean for a notification with an expiration, a lane and attempts behind it.
package struct DispatchRules: Sendable {
    private let delay: RetryDelay

    package init(_ delay: RetryDelay) { self.delay = delay }

    /// - Parameters:
    ///   - outcome: how the attempt ended.
    ///   - context: of the notification.
    ///   - now: milliseconds since 1970.
    ///   - jitter: 0 ..< 1.
    /// - Returns: what becomes of notification, device and lane.
    package func verdict(
        on outcome: AttemptOutcome,
        _ context: AttemptContext,
        now: Int64,
        jitter: Double
    ) -> Verdict {
        func retry(_ cause: RetryDelay.Cause, isMaybeDuplicate: Bool = false) -> Verdict.Notification {
            if let max = context.attemptCountMax, context.attemptCount >= max { return .dead(.attemptsExhausted) }
            let due = delay.due(
                attemptCount: context.attemptCount,
                cause: cause,
                lane: context.lane,
                jitter: jitter,
                now: now,
                expiresAt: context.expiresAt
            )
            return due.map { .retry(atMilliseconds: $0, isMaybeDuplicate: isMaybeDuplicate) } ?? .expired
        }
        switch outcome {
        case .answered(let status, let reason, let timestamp):
            let disposition = Disposition(status: status, reason: reason)
            let dead = Verdict.DeadReason.refused(reason, status: status)
            let notification: Verdict.Notification =
                switch disposition.notification {
                case .accepted: .accepted
                case .undeliverable: .undeliverable
                case .deadLetter: .dead(dead)
                case .park: context.expiresAt > now ? .parked : .expired
                case .retry(.onceWithNewProviderToken) where context.hadExpiredProviderToken: .parked
                case .retry(let kind): retry(Self.cause(kind))
                }
            return Verdict(
                notification: notification,
                device: Self.device(disposition.deviceToken, timestamp, context),
                lane: disposition.lane
            )
        case .notWritten:
            let due = delay.dueAgain(
                lastWaitMilliseconds: context.lastWaitMilliseconds,
                lane: context.lane,
                jitter: jitter,
                now: now,
                expiresAt: context.expiresAt
            )
            let again = due.map { Verdict.Notification.retry(atMilliseconds: $0, isMaybeDuplicate: false) }
            return Verdict(notification: again ?? .expired, device: .keep, lane: .keep)
        case .notProcessed:
            return Verdict(notification: retry(.connection), device: .keep, lane: .keep)
        case .ambiguous:
            let again = retry(.connection, isMaybeDuplicate: true)
            if context.hasCollapseID, case .retry = again {
                return Verdict(notification: again, device: .keep, lane: .keep)
            }
            return Verdict(notification: .dead(.outcomeUnknown), device: .keep, lane: .keep)
        case .notSendable(let reason):
            return Verdict(notification: .dead(.notSendable(reason)), device: .keep, lane: .alarm)
        case .suspended:
            let notification: Verdict.Notification = context.expiresAt > now ? .parked : .expired
            return Verdict(notification: notification, device: .keep, lane: .suspend)
        }
    }

    private static func cause(_ kind: Disposition.Retry) -> RetryDelay.Cause {
        switch kind {
        case .atOnceOnAnotherConnection, .onceWithNewProviderToken: .connection
        case .laterWithSameProviderToken, .laterForDeviceToken: .limit
        case .backOff: .server
        }
    }

    private static func device(
        _ token: Disposition.DeviceToken,
        _ timestamp: Int64?,
        _ context: AttemptContext
    ) -> Verdict.Device {
        switch token {
        case .keep: .keep
        case .markReached: .markReached
        case .quarantine: .quarantine
        case .deletePair: .deletePair
        // An answer without a time proves nothing.
        case .deleteUnlessRegisteredSince: timestamp.map { .deleteIfRegisteredBy($0) } ?? .keep
        case .slowDown:
            .slowDown(.milliseconds(min(RetryDelay.ceilingMilliseconds, 2_000 << Int64(min(context.attemptCount, 10)))))
        }
    }
}
