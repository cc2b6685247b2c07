package import Envelope
import Keys
public import Opening

/// userInfo → sealed field → message → what to show. Total: whatever came, something may be shown.
public struct NotificationPipeline: Sendable {
    private let container: SharedContainer?
    private let texts: FailureTexts
    private let policy: OpeningPolicy
    private let opensWebPush: Bool

    /// - Parameters:
    ///   - containerPath: the folder that the app shares with its extension; nil where there is none, and then nothing
    ///     can be opened.
    ///   - texts: the app's words for failures.
    ///   - policy: how long messages may live, and what their senders may ask for.
    ///   - opensWebPush: whether messages in the format of RFC 8291 are shown, which nobody signs. Off by default; it
    ///     takes keys in the container as well.
    public init(
        containerPath: String?,
        texts: FailureTexts,
        policy: OpeningPolicy = OpeningPolicy(),
        opensWebPush: Bool = false
    ) {
        self.init(
            container: containerPath.map { SharedContainer(path: $0) },
            texts: texts,
            policy: policy,
            opensWebPush: opensWebPush
        )
    }

    package init(
        container: SharedContainer?,
        texts: FailureTexts,
        policy: OpeningPolicy = OpeningPolicy(),
        opensWebPush: Bool = false
    ) {
        self.container = container
        self.texts = texts
        self.policy = policy
        self.opensWebPush = opensWebPush
    }

    /// What to show when there was no time to look at the push.
    public var neutralContent: NotificationContent {
        NotificationContent(OpenedPush(outcome: .notSealed, claim: nil), texts: texts, trace: nil)
    }

    /// What to show for a push that arrives now.
    ///
    /// - Parameter userInfo: the payload as iOS hands it over, `request.content.userInfo`.
    /// - Returns: the message, or the app's own words.
    public func content(userInfo: [AnyHashable: Any]) -> NotificationContent {
        content(userInfo: userInfo, now: .now)
    }

    package func content(userInfo: [AnyHashable: Any], now: Timestamp) -> NotificationContent {
        let trace = (userInfo[Payload.traceName] as? String).flatMap { Trace(text: $0) }
        // Read for every push: the app may have rotated its keys since the last one, in a process that lives on.
        let opener = PushOpener(container: container, policy: policy, opensWebPush: opensWebPush)
        let opened = opener.open(userInfo: userInfo, now: now)
        if let container { keepForTheApp(userInfo, opened.outcome, trace, in: container, now: now) }
        return NotificationContent(opened, texts: texts, trace: trace)
    }

    /// Tells the replay window that iOS has the content. Without it the message may be shown again after 35 seconds: a
    /// process that dies before it has shown anything must not swallow a message.
    ///
    /// - Parameter content: what the content handler was called with.
    public func didShow(_ content: NotificationContent) {
        guard let claim = content.claim, let window = container?.window else { return }
        // Whatever fails here, the message was shown; the worst that follows is that it is shown once more.
        do throws(ReplayWindowError) { try window.commit(claim) } catch { return }
    }

    /// What cannot be opened now is left for the app: the envelope itself, or no more than a mark that there was one.
    /// Neither is worth failing for: a full disk must not keep the person from seeing that something came.
    private func keepForTheApp(
        _ userInfo: [AnyHashable: Any],
        _ outcome: Outcome,
        _ trace: Trace?,
        in container: SharedContainer,
        now: Timestamp
    ) {
        guard outcome == .locked || outcome == .unknownKey || outcome == .staleKey,
            let field = userInfo[Payload.sealedName] as? String
        else { return }
        do {
            let envelope = try Envelope(sealedField: Array(field.utf8))
            if outcome == .locked {
                try container.spool.add(envelope, trace: trace, now: now)
            } else if let id = PrekeyID(envelope.header.prekeyID) {
                try container.resendMarkers.add(trace: trace, prekeyID: id, now: now)
            }
        } catch {
            return
        }
    }
}
