import Envelope
import Keys

/// What is done with one push, apart from when: the extension's work on its container, or a test's script. All of it may
/// wait for a disk.
struct DeliverySteps: Sendable {
    /// For a push that there was no time to open.
    var neutralContent: NotificationContent
    var open: @Sendable (IncomingPush) -> NotificationContent
    /// After the answer: the replay window learns of it.
    var remember: @Sendable (NotificationContent) -> Void
    /// Whether this message is what this request shows.
    var isShown: @Sendable (RequestMap.Key, String) -> Bool = { _, _ in false }
    /// For a push that there was no time to open: the app opens it. Never fails.
    var keep: @Sendable (IncomingPush) -> Void = { _ in }
    /// Never fails.
    var count: @Sendable (OutcomeKind) -> Void
}

extension DeliverySteps {
    /// The extension's.
    init(pipeline: NotificationPipeline, foreground: ForegroundPolicy) {
        let counters = pipeline.container?.outcomeCounters
        self.init(
            neutralContent: pipeline.neutralContent,
            open: { push in
                let now = Timestamp.now
                if foreground == .leaveToApp, pipeline.leaveToApp(push, now: now) {
                    return NotificationContent(unopened: .leftToApp, display: pipeline.display)
                }
                return pipeline.content(of: push, now: now)
            },
            remember: { pipeline.didShow($0) },
            isShown: { pipeline.container?.isShown($0, under: $1) ?? false },
            keep: { pipeline.container?.keep($0, .notOpenedInTime, now: .now) },
            count: { counters?.add($0) }
        )
    }
}

extension NotificationPipeline {
    /// - Returns: whether the app has said that it takes messages itself, and this one is safe where it finds it.
    fileprivate func leaveToApp(_ push: IncomingPush, now: Timestamp) -> Bool {
        guard let container, container.foregroundLease.isHeld(now: now), push.webPush == .absent,
            let field = push.sealed.text
        else { return false }
        do {
            let envelope = try Envelope(sealedField: Array(field.utf8))
            try container.spool.add(envelope, trace: push.trace, now: now)
            return true
        } catch {
            // No envelope, or no room: then it is judged and shown as always.
            return false
        }
    }
}
