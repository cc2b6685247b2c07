package import Envelope
import Keys
import Opening

/// userInfo → sealed field → message → what to show. Total: whatever came, something may be shown.
public struct NotificationPipeline: Sendable {
    private let container: SharedContainer?
    private let texts: FailureTexts

    /// - Parameters:
    ///   - containerPath: the folder that the app shares with its extension; nil where there is none, and then nothing
    ///     can be opened.
    ///   - texts: the app's words for failures.
    public init(containerPath: String?, texts: FailureTexts) {
        container = containerPath.map { SharedContainer(path: $0) }
        self.texts = texts
    }

    /// What to show when there was no time to look at the push.
    public var neutralContent: NotificationContent {
        NotificationContent(outcome: .notSealed, texts: texts, trace: nil)
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
        // Both formats in one push is nobody's honest doing: there is no falling back from one to the other.
        let isAmbiguous = userInfo[Payload.webPushName] != nil && userInfo[Payload.sealedName] != nil
        let outcome = isAmbiguous ? .malformed : outcome(of: userInfo[Payload.sealedName], now: now)
        return NotificationContent(outcome: outcome, texts: texts, trace: trace?.text)
    }

    private func outcome(of sealed: Any?, now: Timestamp) -> Outcome {
        guard let sealed else { return .notSealed }
        guard let field = sealed as? String else { return .malformed }
        // Read for every push: the app may have rotated its keys since the last one, in a process that lives on.
        guard let opener = container?.opener else { return .keysUnavailable }
        return opener.open(sealedField: field, now: now)
    }
}
