import Envelope
import Localization
import Opening

// What a message does to the container, and takes from it, beside its own text. None of it is worth failing for: a disk
// that cannot be written must not keep the person from reading.
extension SharedContainer {
    /// What to show for a push that was opened here, with all that it does.
    func content(
        _ opened: OpenedPush,
        display: DisplayPolicy,
        trace: Trace?,
        requestID: String? = nil
    ) -> NotificationContent {
        let sources = ContentSources(
            string: { display.tables?.string($0) },
            avatarPath: { avatars.picture($0) }
        )
        var content = NotificationContent(opened, display: display, trace: trace, sources: sources)
        content.requestID = requestID
        content.mayBeListed = !content.isSuppressed && mayBeListed(opened, under: requestID)
        applyEffects(of: opened, to: &content, countsMessages: display.countsMessages)
        return content
    }

    /// Whether this message came before, and nothing says that it was shown under another identifier.
    private func mayBeListed(_ opened: OpenedPush, under requestID: String?) -> Bool {
        guard let replayed = opened.replayed, let requestID else { return false }
        let shown = quietly { () throws(ContainerError) in try requests.requestID(for: RequestMap.Key(replayed)) }
        return shown == nil || shown == requestID
    }

    /// Whether this message is what the request shows, as far as the map reaches.
    func isShown(_ key: RequestMap.Key, under requestID: String) -> Bool {
        quietly { () throws(ContainerError) in try requests.requestID(for: key) } == requestID
    }

    /// Sets the badge, and finds the notifications that this one takes away.
    private func applyEffects(of opened: OpenedPush, to content: inout NotificationContent, countsMessages: Bool) {
        guard case .opened(let message) = opened.outcome else { return }
        content.badge = newBadge(message.message, isFirst: opened.isFirst, countsMessages: countsMessages)
        let target: MessageID?
        switch message.message.operation {
        case .show:
            target = nil
            content.requestKeys = [RequestMap.Key(sender: message.sender, messageID: message.messageID)]
        case .replace(let replaced):
            target = replaced
            // What is on the screen is now both: a later change may name the one or the other.
            content.requestKeys = [replaced, message.messageID].map {
                RequestMap.Key(sender: message.sender, messageID: $0)
            }
        case .remove(let removed): target = removed
        case .badge, .call, .test: target = nil
        }
        guard let target else { return }
        let key = RequestMap.Key(sender: message.sender, messageID: target)
        // iOS replaces by itself what comes under the same identifier.
        if let shown = quietly({ () throws(ContainerError) in try requests.requestID(for: key) }),
            shown != content.requestID
        {
            content.replacedRequestIDs = [shown]
        }
    }

    /// iOS has the content: what it is shown under is remembered.
    func remember(_ content: NotificationContent) {
        guard let requestID = content.requestID, !content.requestKeys.isEmpty else { return }
        quietly { () throws(ContainerError) in
            try requests.record(requestID, for: content.requestKeys)
            return nil as Void?
        }
    }

    /// A service's number, or the next one for a message that is new; nil to leave what is there.
    private func newBadge(_ message: Message, isFirst: Bool, countsMessages: Bool) -> Int? {
        if let number = message.badge {
            quietly { () throws(ContainerError) in
                try badge.set(number, ifMissing: .refuse)
                return nil as Void?
            }
            return number
        }
        guard countsMessages, message.operation == .show else { return nil }
        return quietly { () throws(ContainerError) in try isFirst ? badge.increment() : badge.count() }
    }

    /// - Returns: nil where `body` fails.
    @discardableResult
    private func quietly<Result>(_ body: () throws(ContainerError) -> Result?) -> Result? {
        do throws(ContainerError) { return try body() } catch { return nil }
    }
}
