//
//  NotificationService.swift
//
//  The style of an extension around an asynchronous SDK: the push names an event, which it fetches and shows as a
//  communication notification with avatars, room name and mention.
//

import Intents
import OSLog
import UserNotifications

class NotificationService: UNNotificationServiceExtension {
    private struct Event: Decodable {
        let sender: String
        let room: String
        let isDirect: Bool
        let body: String?
        let isMention: Bool
        let avatar: URL?
    }

    private static let logger = Logger(subsystem: "org.example.element-style", category: "NSE")

    private let lock = NSLock()
    private var handler: ((UNNotificationContent) -> Void)?
    private var modified: UNMutableNotificationContent?
    private var task: Task<Void, Never>?

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        guard let room = request.content.userInfo["room_id"] as? String,
            let address = request.content.userInfo["event"] as? String,
            let url = URL(string: address),
            let content = request.content.mutableCopy() as? UNMutableNotificationContent
        else { return contentHandler(request.content) }
        content.threadIdentifier = room
        content.body = "Notification"
        lock.withLock { (handler, modified) = (contentHandler, content) }
        Self.logger.info("\(room, privacy: .private(mask: .hash)) \(os_proc_available_memory()) bytes left")
        let task = Task { await self.run(url, room) }
        lock.withLock { self.task = task }
    }

    override func serviceExtensionTimeWillExpire() {
        Self.logger.warning("will expire")
        lock.withLock { task }?.cancel()
        answer { $0 }
    }

    private func run(_ url: URL, _ room: String) async {
        do {
            let (data, _) = try await URLSession.shared.data(from: url)
            let event = try JSONDecoder().decode(Event.self, from: data)
            // Redacted: nothing to show.
            guard let body = event.body else { return answer { _ in UNMutableNotificationContent() } }
            let avatar = await self.avatar(event)
            answer { content in
                content.title = event.sender
                content.subtitle = event.isDirect ? "" : event.room
                content.body = body
                content.categoryIdentifier = "message"
                content.sound = UNNotificationSound(named: UNNotificationSoundName("message.caf"))
                return Self.communication(content, event, room, avatar)
            }
        } catch {
            Self.logger.error("\(error)")
            answer { $0 }
        }
    }

    private func avatar(_ event: Event) async -> INImage? {
        guard let url = event.avatar, let (file, _) = try? await URLSession.shared.download(from: url),
            let data = try? Data(contentsOf: file)
        else { return nil }
        try? FileManager.default.removeItem(at: file)
        return INImage(imageData: data)
    }

    private static func communication(
        _ content: UNMutableNotificationContent,
        _ event: Event,
        _ room: String,
        _ avatar: INImage?
    ) -> UNNotificationContent {
        let sender = INPerson(
            personHandle: INPersonHandle(value: event.sender, type: .unknown),
            nameComponents: nil,
            displayName: event.sender,
            image: event.isDirect ? avatar : nil,
            contactIdentifier: nil,
            customIdentifier: nil
        )
        let intent = INSendMessageIntent(
            recipients: event.isDirect ? nil : [sender],
            outgoingMessageType: .outgoingMessageText,
            content: nil,
            speakableGroupName: event.isDirect ? nil : INSpeakableString(spokenPhrase: event.room),
            conversationIdentifier: room,
            serviceName: nil,
            sender: sender,
            attachments: nil
        )
        if !event.isDirect, let avatar { intent.setImage(avatar, forParameterNamed: \.speakableGroupName) }
        let metadata = INSendMessageIntentDonationMetadata()
        metadata.mentionsCurrentUser = event.isMention
        intent.donationMetadata = metadata
        let interaction = INInteraction(intent: intent, response: nil)
        interaction.direction = .incoming
        interaction.donate { error in
            if let error { logger.error("\(error)") }
        }
        return (try? content.updating(from: intent)) ?? content
    }

    /// The handler is called once.
    private func answer(_ make: (UNMutableNotificationContent) -> UNNotificationContent) {
        let (handler, content) = lock.withLock {
            () -> (((UNNotificationContent) -> Void)?, UNMutableNotificationContent?) in
            defer { (self.handler, modified) = (nil, nil) }
            return (self.handler, modified)
        }
        if let handler, let content { handler(make(content)) }
    }
}
