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
        /// Whether senders hear that something arrived.
        public var receipts = ReceiptPolicy.off

        /// Nobody hears that something arrived.
        ///
        /// - Parameter attachments: gets attachments; nil shows texts alone, at once.
        public init(attachments: (any AttachmentFetcher)? = nil) { self.attachments = attachments }
    }

    let steps: DeliverySteps
    let settings: Settings
    let surroundings: DeliverySurroundings
    let courier: ReceiptCourier?
    let pending = Guarded(PendingDeliveries())

    /// Opens no file yet: iOS ends an extension that takes long to begin.
    ///
    /// - Parameters:
    ///   - pipeline: what becomes of a push.
    ///   - settings: the app's constants.
    public convenience init(pipeline: NotificationPipeline, settings: Settings = Settings()) {
        self.init(
            steps: DeliverySteps(pipeline: pipeline, foreground: settings.foreground),
            receipts: pipeline.container?.receipts,
            settings: settings,
            surroundings: .ofThisDevice
        )
    }

    init(
        steps: DeliverySteps,
        receipts: ReceiptSpool?,
        settings: Settings,
        surroundings: DeliverySurroundings
    ) {
        self.steps = steps
        self.settings = settings
        self.surroundings = surroundings
        courier = receipts.flatMap { spool in
            switch settings.receipts {
            case .off: nil
            case .keptForTheApp: ReceiptCourier(spool: spool, sender: nil, surroundings: surroundings)
            case .sent(let sender): ReceiptCourier(spool: spool, sender: sender, surroundings: surroundings)
            }
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
        let delivery = PendingDelivery(neutral: steps.neutralContent, handler: handler)
        guard let number = pending.withLock({ $0.add(delivery) }) else { return handler(steps.neutralContent) }
        let deadline = surroundings.alarm(after: settings.timing.deadline)
        surroundings.runOnThread(delivery.device.job { [self] in open(push, for: number) })
        // Behind the work itself, which it must not delay, and only if that is not done already.
        pending.withLock { pending in
            guard pending[number]?.handler != nil else { return }
            pending[number]?.deadline = end(number, at: deadline)
        }
    }

    /// iOS says that the time is over: everything in flight is answered now, with the best there is.
    public func timeWillExpire() {
        courier?.stop()
        let due = pending.withLock { pending in
            pending.numbers.map { number in (number, pending.handle(.timeOver, for: number)) }
        }
        for (number, actions) in due { perform(actions, for: number) }
    }
}
