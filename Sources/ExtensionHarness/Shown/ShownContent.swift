internal import UserNotifications

/// Snapshot of a notification's content, independent of the extension's object.
public struct ShownContent: Sendable, Equatable, Codable {
    /// Primary description, or empty.
    public var title: String
    /// Secondary description, or empty.
    public var subtitle: String
    /// Main text, or empty.
    public var body: String
    /// Number for the app's icon: `nil` leaves it as it is, 0 hides it.
    public var badge: Int?
    /// The sound; `nil` is silence.
    public var sound: Sound?
    /// Groups related notifications; may be empty.
    public var threadIdentifier: String
    /// Category with the actions, or empty.
    public var categoryIdentifier: String
    /// Launch image, empty for the default.
    public var launchImageName: String
    /// Identifier by which the app chooses a scene.
    public var targetContentIdentifier: String?
    /// Criteria for a Focus.
    public var filterCriteria: String?
    /// Importance and delivery timing.
    public var interruptionLevel: InterruptionLevel
    /// Weight in the notification summary, 0 to 1.
    public var relevanceScore: Double
    /// Media files, in order.
    public var attachments: [Attachment]
    /// App's own data, the payload's `aps` included.
    public var userInfo: [String: UserInfoValue]
    /// Sender and group of a communication notification, for an app with that entitlement.
    public var communication: Communication?

    /// Sound to play.
    public struct Sound: Sendable, Equatable, Codable {
        /// The sound file's name; `nil` is the system's own sound.
        public var name: String?
        /// True if it passes the mute switch.
        public var isCritical: Bool
        /// True for a ringtone.
        public var isRingtone: Bool
        /// Volume, 0 to 1; `nil` uses the person's setting.
        public var volume: Float?

        /// System's own sound for notifications.
        public static var `default`: Sound { Sound(name: nil, isCritical: false, isRingtone: false, volume: nil) }
    }

    /// Media file with the text.
    public struct Attachment: Sendable, Equatable, Codable {
        /// Unique within the notification.
        public var identifier: String
        /// Path of the file when the extension answered.
        public var path: String
        /// Uniform type identifier.
        public var type: String
    }

    /// Importance and delivery timing.
    public enum InterruptionLevel: String, Sendable, Equatable, Codable {
        /// Added to the list without light or sound.
        case passive
        /// Presented at once.
        case active
        /// May break through a Focus.
        case timeSensitive
        /// Passes the mute switch and every Focus.
        case critical
    }

    /// True if there is text to show; iOS ignores an extension's answer without any.
    public var hasAlertText: Bool { !title.isEmpty || !subtitle.isEmpty || !body.isEmpty }

    init(_ content: UNNotificationContent) {
        title = content.title
        subtitle = content.subtitle
        body = content.body
        badge = content.badge?.intValue
        sound = content.sound.map { Sound($0.sound) }
        threadIdentifier = content.threadIdentifier
        categoryIdentifier = content.categoryIdentifier
        launchImageName = content.launchImageName
        targetContentIdentifier = content.targetContentIdentifier
        filterCriteria = content.filterCriteria
        interruptionLevel = InterruptionLevel(content.interruptionLevel)
        relevanceScore = content.relevanceScore
        attachments = content.attachments.map {
            Attachment(identifier: $0.identifier, path: $0.url.path, type: $0.type)
        }
        userInfo = UserInfoValue.dictionary(of: content.userInfo)
        communication = content.communication.map { Communication($0) }
    }
}

extension ShownContent {
    /// Content as the framework's object, for readers of the screen; attachments without a file are left out.
    func notificationContent() -> UNNotificationContent {
        let content = UNMutableNotificationContent()
        content.title = title
        content.subtitle = subtitle
        content.body = body
        content.badge = badge.map { NSNumber(value: $0) }
        content.sound = sound.map(\.notificationSound)
        content.threadIdentifier = threadIdentifier
        content.categoryIdentifier = categoryIdentifier
        content.launchImageName = launchImageName
        content.targetContentIdentifier = targetContentIdentifier
        content.filterCriteria = filterCriteria
        content.interruptionLevel = UNNotificationInterruptionLevel(interruptionLevel)
        content.relevanceScore = relevanceScore
        content.attachments = attachments.compactMap { attachment in
            // Throws only if the file is gone.
            try? UNNotificationAttachment(
                identifier: attachment.identifier,
                url: URL(fileURLWithPath: attachment.path),
                options: [UNNotificationAttachmentOptionsTypeHintKey: attachment.type]
            )
        }
        content.userInfo = userInfo.mapValues(\.foundationValue)
        content.communication = communication?.value
        return content
    }
}

extension ShownContent.Sound {
    fileprivate init(_ sound: UNNotificationSound.Description) {
        self.init(
            name: sound.name?.rawValue,
            isCritical: sound.isCritical,
            isRingtone: sound.isRingtone,
            volume: sound.volume
        )
    }

    fileprivate var notificationSound: UNNotificationSound {
        UNNotificationSound(
            UNNotificationSound.Description(
                name: name.map(UNNotificationSoundName.init(rawValue:)),
                isCritical: isCritical,
                isRingtone: isRingtone,
                volume: volume
            )
        )
    }
}

extension UNNotificationInterruptionLevel {
    fileprivate init(_ level: ShownContent.InterruptionLevel) {
        switch level {
        case .passive: self = .passive
        case .active: self = .active
        case .timeSensitive: self = .timeSensitive
        case .critical: self = .critical
        }
    }
}

extension ShownContent.InterruptionLevel {
    fileprivate init(_ level: UNNotificationInterruptionLevel) {
        switch level {
        case .passive: self = .passive
        case .active: self = .active
        case .timeSensitive: self = .timeSensitive
        case .critical: self = .critical
        }
    }
}
