import Envelope
import Keys

/// Work on a push, without its timing: the extension's, or a test's script. Steps may block on a disk.
struct DeliverySteps: Sendable {
    /// Content for an unopened push.
    var neutralContent: NotificationContent
    var open: @Sendable (IncomingPush) -> NotificationContent
    /// Name of the record that a push tells of, to be fetched before it is opened.
    var recordName: @Sendable (IncomingPush) -> String? = { _ in nil }
    /// Commits to the replay window, after the answer.
    var remember: @Sendable (NotificationContent) -> Void
    /// True if the request shows this message.
    var isShown: @Sendable (RequestMap.Key, String) -> Bool = { _, _ in false }
    /// Leaves an unopened push to the app. Never fails.
    var keep: @Sendable (IncomingPush) -> Void = { _ in }
    /// Shows messages that wait for the app; true to keep receipts. Never fails.
    var showWaiting: @Sendable (any LocalNotifications, Bool) -> Void = { _, _ in }
    /// Never fails.
    var count: @Sendable (OutcomeKind) -> Void
}

extension DeliverySteps {
    init(pipeline: NotificationPipeline, foreground: ForegroundPolicy) {
        let counters = pipeline.containers.first?.outcomeCounters
        self.init(
            neutralContent: pipeline.neutralContent,
            open: { push in
                let now = Timestamp.now
                if foreground == .leaveToApp, pipeline.leaveToApp(push, now: now) {
                    return NotificationContent(unopened: .leftToApp, display: pipeline.display)
                }
                return pipeline.content(of: push, now: now)
            },
            recordName: { push in
                pipeline.opensWebPush ? pipeline.containers.lazy.compactMap { $0.recordName(of: push) }.first : nil
            },
            remember: { pipeline.didShow($0) },
            isShown: { key, requestID in pipeline.containers.contains { $0.isShown(key, under: requestID) } },
            keep: { pipeline.keep($0, now: .now) },
            showWaiting: { pipeline.showWaiting(by: $0, keepsReceipts: $1, now: .now) },
            count: { counters?.add($0) }
        )
    }
}

extension NotificationPipeline {
    /// - Returns: true if the app handles messages and has this one in its spool.
    fileprivate func leaveToApp(_ push: IncomingPush, now: Timestamp) -> Bool {
        guard let container = containers.accounts(of: push).accounts.first,
            container.foregroundLease.isHeld(now: now), push.webPush == .absent, let field = push.sealed.text
        else { return false }
        do {
            let envelope = try Envelope(sealedField: Array(field.utf8))
            try container.spool.add(envelope, trace: push.trace, now: now)
            return true
        } catch {
            // No envelope, or no room: show it as usual.
            return false
        }
    }
}
