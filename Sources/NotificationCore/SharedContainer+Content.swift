import Envelope
import Localization
import Opening

// Effects of a message on the container. They never fail: a full disk must not hide a message.
extension SharedContainer {
    func content(
        _ opened: OpenedPush,
        display: DisplayPolicy,
        trace: Trace?,
        requestID: String? = nil,
        now: Timestamp
    ) -> NotificationContent {
        let sources = ContentSources(
            string: { display.tables?.string($0) },
            avatarPath: { avatars.picture($0) },
            group: { groups.group($0) },
            preview: preview.level,
            isMuted: { muted.isMuted($0, isMention: $1, now: now) }
        )
        var content = NotificationContent(opened, display: display, trace: trace, sources: sources)
        content.requestID = requestID
        content.account = account
        content.mayBeListed = !content.isSuppressed && mayBeListed(opened, under: requestID)
        // A message that is not shown does not count.
        let counts = display.countsMessages && !(content.kind == .muted && display[.muted].isSuppressed)
        applyEffects(of: opened, to: &content, countsMessages: counts)
        return content
    }

    private func mayBeListed(_ opened: OpenedPush, under requestID: String?) -> Bool {
        guard let replayed = opened.replayed, let requestID else { return false }
        let shown = quietly { () throws(ContainerError) in try requests.requestID(for: RequestMap.Key(replayed)) }
        return shown == nil || shown == requestID
    }

    /// True if the map says that the request shows this message.
    func isShown(_ key: RequestMap.Key, under requestID: String) -> Bool {
        quietly { () throws(ContainerError) in try requests.requestID(for: key) } == requestID
    }

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
            // The notification now stands for both messages; a later change may name either.
            content.requestKeys = [replaced, message.messageID].map {
                RequestMap.Key(sender: message.sender, messageID: $0)
            }
        case .remove(let removed): target = removed
        case .badge, .call, .test: target = nil
        }
        guard let target else { return }
        let key = RequestMap.Key(sender: message.sender, messageID: target)
        // iOS itself replaces by equal identifier.
        if let shown = quietly({ () throws(ContainerError) in try requests.requestID(for: key) }),
            shown != content.requestID
        {
            content.replacedRequestIDs = [shown]
        }
    }

    /// Records the identifier once iOS has the content.
    func remember(_ content: NotificationContent) {
        guard let requestID = content.requestID, !content.requestKeys.isEmpty else { return }
        quietly { () throws(ContainerError) in
            try requests.record(requestID, for: content.requestKeys)
            return nil as Void?
        }
    }

    /// Badge of a service, or the next number; nil leaves it.
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

    /// - Returns: nil if `body` fails.
    @discardableResult
    private func quietly<Result>(_ body: () throws(ContainerError) -> Result?) -> Result? {
        do throws(ContainerError) { return try body() } catch { return nil }
    }
}
