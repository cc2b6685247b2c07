package import Envelope
import Keys
public import Opening

/// userInfo → sealed field → message → what to show. Total: whatever came, something may be shown.
public struct NotificationPipeline: Sendable {
    let container: SharedContainer?
    let display: DisplayPolicy
    private let policy: OpeningPolicy
    private let opensWebPush: Bool

    /// - Parameters:
    ///   - containerPath: the folder that the app shares with its extension; nil where there is none, and then nothing
    ///     can be opened.
    ///   - display: what is shown for each outcome.
    ///   - policy: how long messages may live, and what their senders may ask for.
    ///   - opensWebPush: whether messages in the format of RFC 8291 are shown, which nobody signs. Off by default; it
    ///     takes keys in the container as well.
    public init(
        containerPath: String?,
        display: DisplayPolicy,
        policy: OpeningPolicy = OpeningPolicy(),
        opensWebPush: Bool = false
    ) {
        self.init(
            container: containerPath.map { SharedContainer(path: $0) },
            display: display,
            policy: policy,
            opensWebPush: opensWebPush
        )
    }

    package init(
        container: SharedContainer?,
        display: DisplayPolicy,
        policy: OpeningPolicy = OpeningPolicy(),
        opensWebPush: Bool = false
    ) {
        self.container = container
        self.display = display
        self.policy = policy
        self.opensWebPush = opensWebPush
    }

    /// What to show when there was no time to look at the push.
    public var neutralContent: NotificationContent { NotificationContent(unopened: .notOpenedInTime, display: display) }

    /// What to show for a push that arrives now.
    ///
    /// - Parameters:
    ///   - userInfo: the payload as iOS hands it over, `request.content.userInfo`.
    ///   - requestID: `request.identifier`, by which a later message can take this one off the screen; nil where that
    ///     is not wanted.
    /// - Returns: the message, or the app's own words.
    public func content(userInfo: [AnyHashable: Any], requestID: String? = nil) -> NotificationContent {
        content(userInfo: userInfo, requestID: requestID, now: .now)
    }

    package func content(
        userInfo: [AnyHashable: Any],
        requestID: String? = nil,
        now: Timestamp
    ) -> NotificationContent {
        content(of: IncomingPush(userInfo: userInfo, requestID: requestID), now: now)
    }

    func content(of push: IncomingPush, now: Timestamp) -> NotificationContent {
        // Read for every push: the app may have rotated its keys since the last one, in a process that lives on.
        let opener = PushOpener(container: container, policy: policy, opensWebPush: opensWebPush)
        let opened = opener.open(push, now: now)
        guard let container else { return NotificationContent(opened, display: display, trace: push.trace) }
        var content = container.content(opened, display: display, trace: push.trace, requestID: push.requestID)
        content.setupWarning = container.setupWarning(of: content)
        container.keep(push, content.kind, isKept: opened.isKept, now: now)
        return content
    }

    /// Tells the replay window that iOS has the content. Without it the message may be shown again after 35 seconds: a process that dies before it has shown anything must not swallow a message.
    ///
    /// - Parameter content: what the content handler was called with.
    public func didShow(_ content: NotificationContent) {
        guard let container, let claim = content.claim else { return }
        // Whatever fails here, the message was shown; the worst that follows is that it is shown once more, or cannot be
        // taken off the screen.
        if let window = container.window { do throws(ReplayWindowError) { try window.commit(claim) } catch {} }
        container.remember(content)
    }
}
