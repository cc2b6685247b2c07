package import Envelope
import Keys
public import Opening

/// Pipeline: userInfo → sealed field → message → content. Every input gives content.
public struct NotificationPipeline: Sendable {
    /// One for each account; empty without a folder.
    let containers: [SharedContainer]
    let display: DisplayPolicy
    let policy: OpeningPolicy
    let opensWebPush: Bool

    /// Creates a pipeline.
    ///
    /// - Parameters:
    ///   - containerPath: folder shared with the app; if nil, nothing opens.
    ///   - display: texts for each outcome; the app's too.
    ///   - policy: limits of lifetime and senders' rights; the app's too.
    ///   - opensWebPush: shows RFC 8291 messages, which are unsigned; needs keys in the container too.
    ///   - accounts: of an app with several, each opened by `AppDevice.Settings.account`; the first gets what is no
    ///     account's.
    public init(
        containerPath: String?,
        display: DisplayPolicy,
        policy: OpeningPolicy = OpeningPolicy(),
        opensWebPush: Bool = false,
        accounts: [AccountName] = []
    ) {
        self.init(
            containers: [SharedContainer](path: containerPath, accounts: accounts),
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
        let containers = container.map { [$0] } ?? []
        self.init(containers: containers, display: display, policy: policy, opensWebPush: opensWebPush)
    }

    package init(
        containers: [SharedContainer],
        display: DisplayPolicy,
        policy: OpeningPolicy = OpeningPolicy(),
        opensWebPush: Bool = false
    ) {
        self.containers = containers
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
        let (accounts, isKnown) = containers.accounts(of: push)
        // Per push: the app may have rotated keys while this process lives.
        let opener = PushOpener(container: accounts.first, policy: policy, opensWebPush: opensWebPush)
        let opened = opener.open(push, now: now)
        guard let container = accounts.first else {
            return NotificationContent(opened, display: display, trace: push.trace)
        }
        var content = container.content(
            opened,
            display: display,
            trace: push.trace,
            requestID: push.requestID,
            now: now
        )
        content.setupWarning = container.setupWarning(of: content)
        if !isKnown { content.account = nil }
        for account in accounts { account.keep(push, content.kind, kept: opened.kept, now: now) }
        return content
    }

    /// Leaves a push to the app that was not opened in time.
    func keep(_ push: IncomingPush, now: Timestamp) {
        for account in containers.accounts(of: push).accounts { account.keep(push, .notOpenedInTime, now: now) }
    }

    func container(of content: NotificationContent) -> SharedContainer? {
        containers.first { $0.account == content.account }
    }

    /// Commits the message to the replay window once iOS has it. Otherwise it may show again after 35 seconds, so that
    /// a process that dies earlier loses no message.
    public func didShow(_ content: NotificationContent) {
        guard let claim = content.claim, let container = container(of: content) else { return }
        // It was shown: at worst it shows again or cannot be removed.
        if let window = container.window { do throws(ReplayWindowError) { try window.commit(claim) } catch {} }
        container.remember(content)
    }
}
