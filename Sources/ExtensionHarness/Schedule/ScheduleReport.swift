/// Result of a schedule.
public struct ScheduleReport: Sendable {
    /// One delivery for each push of each step.
    public let deliveries: [Delivery]
    /// Content handler calls after their delivery.
    public let lateHandlerCallCount: Int

    /// One push of one step.
    public struct Delivery: Sendable {
        /// The step.
        public let step: DeviceSchedule.Step
        /// Index of the push.
        public let pushIndex: Int
        /// Notification that was shown.
        public let shown: ShownNotification
    }

    /// Fault under any conditions.
    public enum Finding: Sendable, Hashable {
        /// Called the content handler more than once for a push.
        case answeredAgain
        /// Did not call the content handler before the extension was ended.
        case neverAnswered
        /// Called the content handler after the delivery.
        case answeredLate
        /// The process ended otherwise than by returning.
        case ended
        /// Answered without text, which the app may not.
        case emptyAnswer
        /// Answered with an attachment that the system rejects.
        case invalidAttachment
    }

    /// Extension's faults; empty for one without fault.
    public var findings: Set<Finding> {
        var findings = Set(deliveries.flatMap { ([$0.shown] + $0.shown.repeated).flatMap(Self.findings) })
        if lateHandlerCallCount > 0 { findings.insert(.answeredLate) }
        return findings
    }

    private static func findings(in shown: ShownNotification) -> [Finding] {
        var findings: [Finding] = []
        if shown.handlerCallCount > 1 { findings.append(.answeredAgain) }
        switch shown.ending {
        case .returned, .terminatedForSecondAnswer, nil: break
        case .timedOut: findings.append(.neverAnswered)
        case .killedForMemory, .killedHoldingLock, .crashed, .exited, .hostFailed: findings.append(.ended)
        }
        switch shown.why {
        case .emptyAnswer: findings.append(.emptyAnswer)
        case .invalidAttachment: findings.append(.invalidAttachment)
        case .answered, .expired, .timedOut, .suppressed, .ended, .notRun, .posted: break
        }
        return findings
    }
}
