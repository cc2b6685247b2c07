import NotificationCore
import UserNotifications

// Core content to iOS's. Apps copy this file as it is.
extension NotificationContent {
    /// Starts from blank content: nothing beside the sealed field, from relay or Apple, may survive.
    func notification() -> UNNotificationContent {
        if let listed = kept?.content as? DeliveredNotifications.Listed { return listed.inSilence }
        let content = UNMutableNotificationContent()
        content.title = title
        content.subtitle = subtitle
        content.body = body
        content.threadIdentifier = threadID
        content.categoryIdentifier = category
        content.sound = sound.map(UNNotificationSound.make)
        content.badge = badge.map { NSNumber(value: $0) }
        content.interruptionLevel = interruptionLevel
        content.relevanceScore = relevanceScore
        content.targetContentIdentifier = targetContentID.isEmpty ? nil : targetContentID
        content.attachments = attachments.compactMap(\.notificationAttachment)
        content.userInfo = userInfo
        return sender.map(content.asCommunication) ?? content
    }

    /// Removes replaced notifications, once iOS has the content.
    func removeReplaced() {
        guard !replacedRequestIDs.isEmpty else { return }
        UNUserNotificationCenter.current().removeDeliveredNotifications(withIdentifiers: replacedRequestIDs)
    }

    private var interruptionLevel: UNNotificationInterruptionLevel {
        switch level {
        case .passive: .passive
        case .active: .active
        case .timeSensitive: .timeSensitive
        case .critical: .critical
        }
    }
}

extension UNNotificationSound {
    fileprivate static func make(_ sound: NotificationContent.Sound) -> UNNotificationSound {
        switch sound {
        case .default: .default
        case .named(let name): UNNotificationSound(named: UNNotificationSoundName(name))
        case .critical(nil, nil): .defaultCritical
        case .critical(nil, let volume?): .defaultCriticalSound(withAudioVolume: Float(volume))
        case .critical(let name?, nil): .criticalSoundNamed(UNNotificationSoundName(name))
        case .critical(let name?, let volume?):
            .criticalSoundNamed(UNNotificationSoundName(name), withAudioVolume: Float(volume))
        }
    }
}

extension NotificationContent.Attachment {
    /// Nil if iOS refuses the file: the text is shown without it.
    fileprivate var notificationAttachment: UNNotificationAttachment? {
        // The error has no other effect.
        try? UNNotificationAttachment(
            identifier: id,
            url: URL(fileURLWithPath: path),
            options: [UNNotificationAttachmentOptionsTypeHintKey: type]
        )
    }
}
