/// How iOS treats the extension.
extension Device {
    /// Whether a process serves one push or several.
    public enum ProcessUse: Sendable, Equatable, CaseIterable {
        /// A new object for each delivery.
        case fresh
        /// The same object for every delivery, also for those at the same time: statics and properties survive.
        case reused
    }

    /// Whether a push reaches the extension more than once.
    ///
    /// - Source: openradar 31422811: one push, delivered to the extension twice.
    public enum Repetition: Sendable, Equatable, CaseIterable {
        /// Once, as it should.
        case once
        /// Twice, one after the other.
        case twice
        /// Twice at the same time.
        case twiceAtOnce
    }

    /// How long an extension may take. Apple documents none of these; reports from the field give the first two.
    public struct Limits: Sendable, Equatable {
        /// From the call of `didReceive` to that of `serviceExtensionTimeWillExpire`.
        public var time: Duration
        /// From there to the extension's end.
        public var grace: Duration
        /// How long an expiring activity (`ProcessInfo.performExpiringActivity`) keeps the process running after its last
        /// answer; zero refuses it. Only where the extension has a process of its own.
        public var activity: Duration

        /// - Parameters:
        ///   - time: About 30 s in practice, Apple's "limited amount of time".
        ///   - grace: Undocumented; "one last chance".
        ///   - activity: Undocumented; assumed to be ten seconds.
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

    /// When the extension is told that its time is over.
    public enum Expiry: Sendable, Equatable {
        /// At the limit.
        case onTime
        /// This much before the limit: the system is short of time.
        case early(by: Duration)
        /// This much after the limit.
        case late(by: Duration)
        /// Not at all: the process ends at the limit.
        case never
        /// At the limit, and again in the middle of the grace.
        case twice
    }

    /// What iOS does with an answer one of whose attachments it does not take.
    public enum InvalidAttachment: Sendable, Equatable, CaseIterable {
        /// Shows the original, as older versions were seen to.
        case discardsAnswer
        /// Shows the answer without that attachment.
        case discardsAttachment
    }

    /// How time passes while the extension runs.
    public enum Timekeeping: Sendable, Equatable {
        /// At once where the extension waits on the device's own clock, as soon as nothing has happened there for some
        /// 20 ms of real time. Where it waits for anything else (a stranger's `Date()` and `Task.sleep` are real),
        /// `scale` seconds pass on the device for each real one, but no deadline comes in less than 250 ms, nor in less
        /// than a second while `didReceive` has not returned. `ShownNotification.time` says which it was.
        case automatic(scale: Double = 30)
        /// So many seconds pass on the device for each real one.
        case scaled(by: Double)
        /// As it does.
        case real
        /// Only when the test advances the device's clock.
        case byHand
    }
}
