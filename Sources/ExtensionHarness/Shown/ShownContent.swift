internal import UserNotifications

/// A notification's content at one moment, as a value: what the extension does to its object later does not reach it.
public struct ShownContent: Sendable, Equatable, Codable {
    /// The primary description, empty when there is none.
    public var title: String
    /// The secondary description, empty when there is none.
    public var subtitle: String
    /// The main text, empty when there is none.
    public var body: String
    /// The number for the app's icon: `nil` leaves it as it is, 0 hides it.
    public var badge: Int?
    /// `nil` is silence.
    public var sound: Sound?
    /// Groups related notifications, empty when there is none.
    public var threadIdentifier: String
    /// The category whose actions are offered, empty when there is none.
    public var categoryIdentifier: String
    /// The launch image, empty for the default.
    public var launchImageName: String
    /// What the app matches to choose a scene.
    public var targetContentIdentifier: String?
    /// What a Focus evaluates.
    public var filterCriteria: String?
    /// Importance and delivery timing.
    public var interruptionLevel: InterruptionLevel
    /// Weight in the notification summary, 0 to 1.
    public var relevanceScore: Double
    /// The media files, in order.
    public var attachments: [Attachment]
    /// The app's own data, the payload's `aps` included.
    public var userInfo: [String: UserInfoValue]

    /// A sound to play.
    public struct Sound: Sendable, Equatable, Codable {
        /// The sound file's name; `nil` is the system's own sound.
        public var name: String?
        /// Whether it passes the mute switch.
        public var isCritical: Bool
        /// Whether it is a ringtone.
        public var isRingtone: Bool
        /// 0 to 1; `nil` where the person's setting decides.
        public var volume: Float?

        /// The system's own sound for notifications.
        public static var `default`: Sound { Sound(name: nil, isCritical: false, isRingtone: false, volume: nil) }
    }

    /// A media file that goes with the text.
    public struct Attachment: Sendable, Equatable, Codable {
        /// Unique within the notification.
        public var identifier: String
        /// Where the file was when the extension answered.
        public var path: String
        /// The uniform type identifier.
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

    /// Whether there is anything to read: iOS ignores an extension's answer without any.
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
    }
}

extension ShownContent {
    /// The same as an object of the framework's, for code that asks the system what is on the screen. An attachment whose
    /// file has gone meanwhile is left out.
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
            // Only a file that has gone makes it throw, and that is said above.
            try? UNNotificationAttachment(
                identifier: attachment.identifier,
                url: URL(fileURLWithPath: attachment.path),
                options: [UNNotificationAttachmentOptionsTypeHintKey: attachment.type]
            )
        }
        content.userInfo = userInfo.mapValues(\.foundationValue)
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
