import Platform

/// The life of a service extension: takes pushes, answers each exactly once and in time, and remembers what was shown.
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
/// A text is shown as soon as it is open; one with attachments waits for them, no longer than their slice; and whatever
/// hangs, the app's own words are there before iOS would show those that came with the push. Any number of pushes at once.
public final class ExtensionCore: Sendable {
    /// An app's constants.
    public struct Settings: Sendable {
        /// How the time is divided.
        public var timing = DeliveryTiming()
        /// What happens while the app has said that it takes messages itself.
        public var foreground = ForegroundPolicy.show
        /// Gets attachments; nil shows texts alone.
        public var attachments: (any AttachmentFetcher)?
        /// Says what is on the screen, so that a push that comes twice leaves its message there; without it, the words for
        /// a replay take the message's place.
        public var screen: (any NotificationScreen)?
        /// Whether receipts are given for messages that ask for one. Off: no sender hears that somebody is there.
        public var keepsReceipts = false
        /// Takes receipts, and requests for messages that could not be opened, from this extension. Each is on disk before
        /// the content handler is called and sent after it, by a random delay of at most 2 seconds, within 5. Without a
        /// relay, and where sending fails, they are kept for `AppDevice.report(to:)`.
        public var relay: (any Relay)?

        /// No receipts and no relay.
        ///
        /// - Parameter attachments: gets attachments; nil shows texts alone, at once.
        public init(attachments: (any AttachmentFetcher)? = nil) { self.attachments = attachments }
    }

    let steps: DeliverySteps
    let settings: Settings
    let surroundings: DeliverySurroundings
    let receipts: ReceiptSpool?
    let courier: ReportCourier?
    let pending = Guarded(PendingDeliveries())

    /// Opens no file yet: iOS ends an extension that takes long to begin.
    ///
    /// - Parameters:
    ///   - pipeline: what becomes of a push.
    ///   - settings: the app's constants.
    public convenience init(pipeline: NotificationPipeline, settings: Settings = Settings()) {
        self.init(
            steps: DeliverySteps(pipeline: pipeline, foreground: settings.foreground),
            reports: pipeline.container?.reports,
            settings: settings,
            surroundings: .ofThisDevice
        )
    }

    init(
        steps: DeliverySteps,
        reports: RelayReports?,
        settings: Settings,
        surroundings: DeliverySurroundings
    ) {
        self.steps = steps
        self.settings = settings
        self.surroundings = surroundings
        receipts = settings.keepsReceipts ? reports?.receipts : nil
        courier =
            if let reports, let relay = settings.relay {
                ReportCourier(reports: reports, relay: relay, surroundings: surroundings)
            } else {
                nil
            }
    }

    /// Takes a push and returns at once; the work is done on other threads.
    ///
    /// - Parameters:
    ///   - userInfo: the payload as iOS hands it over, `request.content.userInfo`. It is not kept.
    ///   - requestID: `request.identifier`.
    ///   - handler: called exactly once, on any thread, with what is to be shown.
    public func receive(
        userInfo: [AnyHashable: Any],
        requestID: String,
        handler: @escaping (NotificationContent) -> Void
    ) {
        let push = IncomingPush(userInfo: userInfo, requestID: requestID)
        let delivery = PendingDelivery(push, neutral: steps.neutralContent, handler: handler)
        guard let number = pending.withLock({ $0.add(delivery) }) else { return refuse(push, delivery) }
        let deadline = surroundings.alarm(after: settings.timing.deadline)
        surroundings.runOnThread(delivery.device.job { [self] in open(push, for: number) })
        // Behind the work itself, which it must not delay, and only if that is not done already.
        pending.withLock { pending in
            guard pending[number]?.handler != nil else { return }
            pending[number]?.deadline = end(number, at: deadline)
        }
    }

    /// One too many is answered at once, and is the app's.
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

    /// iOS says that the time is over: everything in flight is answered now, with the best there is. A handler that blocks
    /// holds up its own push alone.
    public func timeWillExpire() {
        courier?.stop()
        let due = pending.withLock { pending in
            pending.numbers.map { number in (number, pending.handle(.timeOver, for: number)) }
        }
        let answered = due.filter { !$0.1.isEmpty }
        for (number, actions) in answered { perform(actions, for: number, on: answered.count == 1 ? .caller : .task) }
    }
}
