import Envelope
import Opening
import WebPush

/// Access to app files, so that building content is pure.
struct ContentSources {
    /// App text by key.
    var string: (String) -> String? = { _ in nil }
    /// Contact's picture by handle.
    var avatarPath: (String) -> String? = { _ in nil }
    /// Group by thread.
    var group: (String) -> NotificationContent.Sender.Group? = { _ in nil }
    var preview = PreviewLevel.nameAndText
    /// True for a thread that is muted, for a mention or not.
    var isMuted: (String, Bool) -> Bool = { _, _ in false }
}

// Outcome to content, by table.
extension NotificationContent {
    init(_ opened: OpenedPush, display: DisplayPolicy, trace: Trace?, sources: ContentSources = ContentSources()) {
        let kind = Self.kind(opened.outcome, display: display, sources: sources)
        self.init(opened.outcome, kind: kind, claim: opened.claim, display: display)
        self.trace = trace?.text
        let row = display[kind]
        if !row.isSuppressed { show(opened.outcome, display: display, rule: row.sound, sources: sources) }
    }

    init(unopened kind: OutcomeKind, display: DisplayPolicy) {
        self.init(.notSealed, kind: kind, claim: nil, display: display)
    }

    private static func kind(_ outcome: Outcome, display: DisplayPolicy, sources: ContentSources) -> OutcomeKind {
        guard case .opened(let opened) = outcome, outcome.kind == .opened, opened.message.level != .critical,
            sources.isMuted(
                DisplayText.identifier(opened.message.threadID),
                opened.message.mentionsPerson(display.mentionName)
            )
        else { return outcome.kind }
        return .muted
    }

    private init(_ outcome: Outcome, kind: OutcomeKind, claim: ReplayClaim?, display: DisplayPolicy) {
        let row = display[kind]
        self.init(display.texts[row.text], title: display.texts.title, outcome: outcome, kind: kind, claim: claim)
        level = row.level
        sound = row.sound.hasDefault ? .default : nil
        if row.isSuppressed { suppress(display) }
    }

    /// Shows the message's text if visible: for an empty one iOS shows the push's.
    private mutating func show(
        _ outcome: Outcome,
        display: DisplayPolicy,
        rule: DisplayPolicy.SoundRule,
        sources: ContentSources
    ) {
        let showsText = sources.preview == .nameAndText
        switch outcome {
        case .opened(let opened) where outcome.kind == .opened:
            // Missing until fetched.
            let missing = opened.message.attachments.map { MissingAttachment(id: $0.id, reason: .notFetched) }
            put(FetchedAttachments(ready: [], missing: missing))
            takesAttachments = showsText
            let words = MessageWords(opened, newMessage: display.texts.newMessage, string: sources.string)
            guard words.canBeSeen else { return }
            if showsText { put(words) }
            put(opened.message, rule: rule)
            guard sources.preview != .nothing else { return }
            sender = Sender(of: opened, threadID: threadID, mentionName: display.mentionName, sources: sources)
            // As communication notifications do.
            if let sender, title.isEmpty || !showsText { title = sender.displayName }
        case .unauthenticated(let text):
            let words = MessageWords(title: text.title, body: text.body)
            guard words.canBeSeen else { return }
            if showsText { put(words) }
            // The app's word, not the server's.
            if let server = text.server, display.showsServers, sources.preview != .nothing {
                subtitle = DisplayText.safe(server, in: .line)
            }
        default: break
        }
    }

    private mutating func put(_ words: MessageWords) {
        title = words.title
        subtitle = words.subtitle
        body = words.body
    }

    private mutating func put(_ message: Message, rule: DisplayPolicy.SoundRule) {
        threadID = DisplayText.identifier(message.threadID)
        category = message.category
        if kind != .muted { level = Level(message.level) }
        sound = rule.takesMessages ? Self.sound(of: message) ?? sound : sound
        if level == .critical, sound == .default { sound = .critical(name: nil, volume: nil) }
        relevanceScore = message.relevanceScore?.value ?? 0
        targetContentID = DisplayText.identifier(message.targetContentID)
        info = message.userInfo
    }

    private mutating func put(_ fetched: FetchedAttachments) {
        attachments = fetched.ready
        missingAttachments = fetched.missing
        if kind != .muted { kind = fetched.missing.isEmpty ? .opened : .openedWithoutAttachments }
    }

    /// Adds the fetched attachments.
    func with(_ fetched: FetchedAttachments) -> NotificationContent {
        var content = self
        content.put(fetched)
        return content
    }

    private static func sound(of message: Message) -> Sound? {
        guard let sound = message.sound else { return nil }
        let name = sound.name == "default" ? nil : sound.name
        // Volume needs the level's right, and means nothing without it.
        if message.level == .critical { return .critical(name: name, volume: sound.volume?.value) }
        return name.map { .named($0) } ?? .default
    }

    private mutating func suppress(_ display: DisplayPolicy) {
        level = .passive
        sound = nil
        if display.hasFilteringEntitlement {
            title = ""
            body = ""
            isSuppressed = true
        } else {
            body = display.texts.neutral
        }
    }
}

extension NotificationContent.Level {
    fileprivate init(_ level: Message.InterruptionLevel?) {
        switch level {
        case .passive: self = .passive
        case .active, nil: self = .active
        case .timeSensitive: self = .timeSensitive
        case .critical: self = .critical
        }
    }
}

extension DisplayPolicy.SoundRule {
    fileprivate var hasDefault: Bool { self == .default || self == .messageOrDefault }
    fileprivate var takesMessages: Bool { self == .message || self == .messageOrDefault }
}

extension UnitDecimal {
    fileprivate var value: Double { Double(tenThousandths) / 10_000 }
}
