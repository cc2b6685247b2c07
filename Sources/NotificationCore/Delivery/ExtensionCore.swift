import Platform

/// Life cycle of a service extension: answers each push exactly once and in time, and records what was shown.
///
///     private let core = ExtensionCore(pipeline: NotificationPipeline(…))
///
///     override func didReceive(
///         _ request: UNNotificationRequest,
///         withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
///     ) {
///         core.receive(userInfo: request.content.userInfo, requestID: request.identifier) { contentHandler(… $0 …) }
///     }
///
///     override func serviceExtensionTimeWillExpire() { core.timeWillExpire() }
///
/// A text with attachments waits for them, at most for their slice. If anything hangs, the app's own text is shown
/// before iOS would show the push's. Any number of pushes may run at once.
public final class ExtensionCore: Sendable {
    /// App's constants.
    public struct Settings: Sendable {
        /// Division of the time.
        public var timing = DeliveryTiming()
        /// Policy while the app handles messages itself.
        public var foreground = ForegroundPolicy.show
        /// Fetcher of attachments; nil shows texts alone.
        public var attachments: (any AttachmentFetcher)?
        /// Reader of delivered notifications, so that a repeated push leaves its message there; if nil, the replay text
        /// replaces it.
        public var screen: (any NotificationScreen)?
        /// Queue of a placeholder for each push, in the words of the row `not-opened-in-time`, that is shown
        /// `placeholderDelay` after the deadline if iOS ends the extension before its answer. Off, iOS then shows the
        /// push's own alert alone.
        public var placeholder: (any LocalNotifications)?
        /// Shows messages that could not be opened on arrival as notifications of their own, after the answer to the next
        /// push that opens: 8 at most, in 3 seconds. Nil leaves them to `AppDevice.openSpooled`.
        public var waiting: (any LocalNotifications)?
        /// True to give receipts. Off, no sender learns of the device's presence.
        public var keepsReceipts = false
        /// Relay for receipts and re-send requests. Each is on disk before the content handler is called, and sent
        /// within 5 seconds after it, with a random delay of up to 2. Unsent ones wait for `AppDevice.report(to:)`.
        public var relay: (any Relay)?

        /// Creates settings without receipts and relay; without attachments, texts show at once.
        public init(attachments: (any AttachmentFetcher)? = nil) { self.attachments = attachments }
    }

    /// Beyond the time that iOS gives an extension.
    static let placeholderDelay = Duration.seconds(10)

    let steps: DeliverySteps
    let settings: Settings
    let surroundings: DeliverySurroundings
    /// By account; empty without receipts.
    let receipts: [AccountName?: ReceiptSpool]
    let reportSender: ReportSender?
    let pending = Guarded(PendingDeliveries())

    /// Opens no file yet: iOS ends an extension that starts slowly.
    public convenience init(pipeline: NotificationPipeline, settings: Settings = Settings()) {
        self.init(
            steps: DeliverySteps(pipeline: pipeline, foreground: settings.foreground),
            reports: pipeline.containers.map(\.reports),
            settings: settings,
            surroundings: .ofThisDevice
        )
    }

    init(
        steps: DeliverySteps,
        reports: [RelayReports],
        settings: Settings,
        surroundings: DeliverySurroundings
    ) {
        self.steps = steps
        self.settings = settings
        self.surroundings = surroundings
        receipts =
            settings.keepsReceipts
            ? Dictionary(reports.map { ($0.account, $0.receipts) }, uniquingKeysWith: { first, _ in first }) : [:]
        reportSender = settings.relay.flatMap { relay in
            reports.isEmpty ? nil : .ofProcess(reports, to: relay, surroundings)
        }
    }

    /// Returns at once; other threads do the work.
    ///
    /// - Parameters:
    ///   - userInfo: `request.content.userInfo`; not kept.
    ///   - requestID: `request.identifier`.
    ///   - handler: called exactly once, on any thread.
    public func receive(
        userInfo: [AnyHashable: Any],
        requestID: String,
        handler: @escaping (NotificationContent) -> Void
    ) {
        let push = IncomingPush(userInfo: userInfo, requestID: requestID)
        let delivery = PendingDelivery(push, neutral: steps.neutralContent, handler: handler)
        guard let number = pending.withLock({ $0.add(delivery) }) else { return refuse(push, delivery) }
        // First: the work may end this process.
        settings.placeholder?
            .add(
                steps.neutralContent,
                id: Self.placeholderID(requestID),
                after: settings.timing.deadline + Self.placeholderDelay
            )
        let deadline = surroundings.alarm(after: settings.timing.deadline)
        surroundings.runOnThread(delivery.device.job { [self] in fetchAndOpen(push, for: number) })
        // Set after the work has started, which it must not delay, and only if unanswered.
        pending.withLock { pending in
            guard pending[number]?.handler != nil else { return }
            pending[number]?.deadline = end(number, at: deadline)
        }
    }

    static func placeholderID(_ requestID: String) -> String { "sealedpush-placeholder-" + requestID }

    /// Answers a push beyond the limit at once and leaves it to the app.
    private func refuse(_ push: IncomingPush, _ delivery: PendingDelivery) {
        let activity = ExpiringActivity {}
        surroundings.runOnThread(
            delivery.device.job { [steps] in
                steps.keep(push)
                steps.count(.notOpenedInTime)
                activity.end()
            }
        )
        delivery.handler?.call(steps.neutralContent)
    }

    /// Answers all pushes in flight with their best content. A handler that blocks holds up only its own.
    public func timeWillExpire() {
        reportSender?.stop()
        let due = pending.withLock { pending in
            pending.numbers.map { number in (number, pending.handle(.timeOver, for: number)) }
        }
        let answered = due.filter { !$0.1.isEmpty }
        for (number, actions) in answered { perform(actions, for: number, on: answered.count == 1 ? .caller : .task) }
    }
}
