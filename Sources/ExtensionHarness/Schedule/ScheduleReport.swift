/// What became of a schedule's pushes.
public struct ScheduleReport: Sendable {
    /// One for each push of each step.
    public let deliveries: [Delivery]
    /// How often the extension called its content handler when its delivery was over.
    public let lateHandlerCallCount: Int

    /// One push of one step.
    public struct Delivery: Sendable {
        /// When.
        public let step: DeviceSchedule.Step
        /// Which of the pushes.
        public let pushIndex: Int
        /// What was shown.
        public let shown: ShownNotification
    }

    /// What an extension must never do, whatever happens to it.
    public enum Finding: Sendable, Hashable {
        /// It called its content handler more than once for one push.
        case answeredAgain
        /// It did not call it until it was ended.
        case neverAnswered
        /// It called it when its delivery was over.
        case answeredLate
        /// Its process ended otherwise than by returning.
        case ended
        /// Its answer has no text, which the app may not send.
        case emptyAnswer
        /// Its answer had an attachment that the system does not take.
        case invalidAttachment
    }

    /// What the extension did that it must never do; empty for one without fault.
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
        case .answered, .expired, .timedOut, .suppressed, .ended, .notRun: break
        }
        return findings
    }
}
