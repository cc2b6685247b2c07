/// iOS's treatment of the extension.
extension Device {
    /// Pushes that one process serves.
    public enum ProcessUse: Sendable, Equatable, CaseIterable {
        /// New object for each delivery.
        case fresh
        /// One object for every delivery, even concurrent ones: statics and properties survive.
        case reused
    }

    /// Times that a push reaches the extension.
    ///
    /// - Source: openradar 31422811: one push, delivered to the extension twice.
    public enum Repetition: Sendable, Equatable, CaseIterable {
        /// Once, the normal case.
        case once
        /// Twice, one after the other.
        case twice
        /// Twice at the same time.
        case twiceAtOnce
    }

    /// Time limits of an extension. Apple documents none of them; reports from the field give the first two.
    public struct Limits: Sendable, Equatable {
        /// From the call of `didReceive` to that of `serviceExtensionTimeWillExpire`.
        public var time: Duration
        /// From there to the extension's end.
        public var grace: Duration
        /// Time for which an expiring activity (`ProcessInfo.performExpiringActivity`) keeps the process after its last
        /// answer; zero refuses it. Only for an extension in its own process.
        public var activity: Duration

        /// Creates limits.
        ///
        /// - Parameters:
        ///   - time: about 30 s in practice.
        ///   - grace: Apple's "one last chance".
        ///   - activity: assumed ten seconds.
        public init(
            time: Duration = .seconds(30),
            grace: Duration = .seconds(5),
            activity: Duration = .seconds(10)
        ) {
            self.time = time
            self.grace = grace
            self.activity = activity
        }
    }

    /// Time of the expiry call.
    public enum Expiry: Sendable, Equatable {
        /// At the limit.
        case onTime
        /// This long before the limit: the system is short of time.
        case early(by: Duration)
        /// This long after the limit.
        case late(by: Duration)
        /// Not at all: the process ends at the limit.
        case never
        /// At the limit, and again in mid-grace.
        case twice
    }

    /// Treatment of an answer with an attachment that iOS does not accept.
    public enum InvalidAttachment: Sendable, Equatable, CaseIterable {
        /// Shows the original, as seen on older versions.
        case discardsAnswer
        /// Shows the answer without that attachment.
        case discardsAttachment
    }

    /// Passage of time while the extension runs.
    public enum Timekeeping: Sendable, Equatable {
        /// Skips a wait on the device's clock after some 20 ms of real time without an event there. During any other
        /// wait, such as a real `Task.sleep`, `scale` seconds pass on the device for each real one; no deadline then
        /// comes in less than 250 ms, nor within a second while `didReceive` runs. While the machine has no processor
        /// for a thread of this process, all that takes ten times as long. `ShownNotification.time` says which
        /// mode was in effect.
        case automatic(scale: Double = 30)
        /// Passes this many seconds on the device for each real one.
        case scaled(by: Double)
        /// Passes in real time.
        case real
        /// Passes only when the test advances the device's clock.
        case byHand
    }
}
