package import Envelope
import Keys
public import Opening

/// Pipeline: userInfo → sealed field → message → content. Every input gives content.
public struct NotificationPipeline: Sendable {
    let container: SharedContainer?
    let display: DisplayPolicy
    private let policy: OpeningPolicy
    private let opensWebPush: Bool

    /// Creates a pipeline.
    ///
    /// - Parameters:
    ///   - containerPath: folder shared with the app; if nil, nothing opens.
    ///   - display: texts for each outcome; the app's too.
    ///   - policy: limits of lifetime and senders' rights; the app's too.
    ///   - opensWebPush: shows RFC 8291 messages, which are unsigned; needs keys in the container too.
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

    /// Content for a push that was not opened in time.
    public var neutralContent: NotificationContent { NotificationContent(unopened: .notOpenedInTime, display: display) }

    /// Content for a push on arrival: the message, or the app's text.
    ///
    /// - Parameters:
    ///   - userInfo: `request.content.userInfo`.
    ///   - requestID: `request.identifier`, by which a later message can remove this one.
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
        // Per push: the app may have rotated keys while this process lives.
        let opener = PushOpener(container: container, policy: policy, opensWebPush: opensWebPush)
        let opened = opener.open(push, now: now)
        guard let container else { return NotificationContent(opened, display: display, trace: push.trace) }
        var content = container.content(
            opened,
            display: display,
            trace: push.trace,
            requestID: push.requestID,
            now: now
        )
        content.setupWarning = container.setupWarning(of: content)
        container.keep(push, content.kind, isKept: opened.isKept, now: now)
        return content
    }

    /// Commits the message to the replay window once iOS has it. Otherwise it may show again after 35 seconds, so that
    /// a process that dies earlier loses no message.
    public func didShow(_ content: NotificationContent) {
        guard let container, let claim = content.claim else { return }
        // It was shown: at worst it shows again or cannot be removed.
        if let window = container.window { do throws(ReplayWindowError) { try window.commit(claim) } catch {} }
        container.remember(content)
    }
}
