package import APNS
package import Envelope
package import PushStore

package struct AttemptContext: Equatable, Sendable {
    package let lane: Lane
    /// Includes this attempt; 1 or more.
    package let attemptCount: Int
    /// nil: tried until its deadline.
    package let attemptLimit: Int?
    package let hasCollapseID: Bool
    package let deadline: Timestamp
    package let hadExpiredProviderToken: Bool
    /// The last, by postponement or retry; zero for none.
    package let lastWait: Duration

    package init(
        lane: Lane,
        attemptCount: Int,
        attemptLimit: Int? = nil,
        hasCollapseID: Bool = true,
        deadline: Timestamp,
        hadExpiredProviderToken: Bool = false,
        lastWait: Duration = .zero
    ) {
        self.lane = lane
        self.attemptCount = attemptCount
        self.attemptLimit = attemptLimit
        self.hasCollapseID = hasCollapseID
        self.deadline = deadline
        self.hadExpiredProviderToken = hadExpiredProviderToken
        self.lastWait = lastWait
    }
}

package struct Decision: Equatable, Sendable {
    package enum Device: Equatable, Sendable {
        case keep
        case markReached
        case quarantine
        case deletePair
        /// Deletes a device that registered at or before this time.
        case deleteIfRegisteredBy(Timestamp)
        case slowDown(Duration)
    }

    /// The outbox ends a retry at the deadline as expired.
    package let notification: Verdict
    package let device: Device
    package let lane: Disposition.Credential
}

/// Applies `Disposition` with deadline, queue and earlier attempts.
package struct DispatchRules: Sendable {
    private let delay: RetryDelay

    package init(_ delay: RetryDelay) { self.delay = delay }

    /// - Parameter jitter: 0 ..< 1.
    package func decide(
        _ result: AttemptResult,
        _ context: AttemptContext,
        now: Timestamp,
        jitter: Double
    ) -> Decision {
        func retry(_ cause: RetryDelay.Cause) -> Verdict {
            if let limit = context.attemptLimit, context.attemptCount >= limit { return .dead(.attemptsExhausted) }
            let due = delay.due(
                attemptCount: context.attemptCount,
                cause: cause,
                lane: context.lane,
                jitter: jitter,
                now: now,
                deadline: context.deadline
            )
            return .retry(at: due ?? context.deadline)
        }
        func park() -> Verdict { context.deadline > now ? .park : .retry(at: context.deadline) }
        switch result {
        case .answered(let status, let reason, let timestamp):
            let disposition = Disposition(status: status, reason: reason)
            let notification: Verdict =
                switch disposition.notification {
                case .accepted: .accepted
                case .undeliverable: .dead(.undeliverable)
                case .deadLetter: .dead(.rejected)
                case .park: park()
                case .retry(.onceWithNewProviderToken) where context.hadExpiredProviderToken: .park
                case .retry(let kind): retry(Self.cause(kind))
                }
            return Decision(
                notification: notification,
                device: Self.device(disposition.deviceToken, timestamp, context),
                lane: disposition.lane
            )
        case .notWritten:
            let due = delay.dueAgain(
                lastWait: context.lastWait,
                lane: context.lane,
                jitter: jitter,
                now: now,
                deadline: context.deadline
            )
            return Decision(notification: .retry(at: due ?? context.deadline), device: .keep, lane: .keep)
        case .notProcessed: return Decision(notification: retry(.connection), device: .keep, lane: .keep)
        case .ambiguous:
            // A second push would be a second notification.
            var notification = Verdict.dead(.outcomeUnknown)
            if context.hasCollapseID, case .retry(let due) = retry(.connection), due < context.deadline {
                notification = .retry(at: due)
            }
            return Decision(notification: notification, device: .keep, lane: .keep)
        case .notSendable: return Decision(notification: .dead(.rejected), device: .keep, lane: .alarm)
        case .suspended: return Decision(notification: park(), device: .keep, lane: .suspend)
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
        _ timestamp: Timestamp?,
        _ context: AttemptContext
    ) -> Decision.Device {
        switch token {
        case .keep: .keep
        case .markReached: .markReached
        case .quarantine: .quarantine
        case .deletePair: .deletePair
        // An answer without a time proves nothing.
        case .deleteUnlessRegisteredSince: timestamp.map { .deleteIfRegisteredBy($0) } ?? .keep
        case .slowDown: .slowDown(min(RetryDelay.ceiling, .seconds(2 << min(context.attemptCount, 10))))
        }
    }
}
