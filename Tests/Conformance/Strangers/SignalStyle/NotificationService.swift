//
//  NotificationService.swift
//
//  The style of an extension that answers in silence: a push only says that something waits. It fetches the messages,
//  posts each as a local notification, and sets the badge with an empty answer.
//

import Intents
import UserNotifications
import os.log

private let log = OSLog(subsystem: "org.example.signal-style", category: "nse")

final class NotificationService: UNNotificationServiceExtension {
    private struct Message: Decodable {
        let id: String
        let sender: String
        let group: String?
        let text: String
        let mentionsMe: Bool?
    }

    private struct Answer {
        var handler: ((UNNotificationContent) -> Void)?
        var unread = 0
    }

    private let answer = OSAllocatedUnfairLock(uncheckedState: Answer())
    private let memoryPressure = DispatchSource.makeMemoryPressureSource(
        eventMask: [.warning, .critical],
        queue: .global()
    )

    override init() {
        super.init()
        memoryPressure.setEventHandler { [memoryPressure] in
            os_log(
                "memory pressure %d, %d bytes left",
                log: log,
                type: .error,
                memoryPressure.data.rawValue,
                os_proc_available_memory()
            )
        }
        memoryPressure.resume()
    }

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        answer.withLockUnchecked { $0 = Answer(handler: contentHandler) }
        guard let address = request.content.userInfo["queue"] as? String, let url = URL(string: address) else {
            return finish()
        }
        // The app, if it runs, is faster.
        CFNotificationCenterPostNotification(
            CFNotificationCenterGetDarwinNotifyCenter(),
            CFNotificationName("org.example.signal-style.fetching" as CFString),
            nil,
            nil,
            true
        )
        ProcessInfo.processInfo.performExpiringActivity(withReason: "fetch") { isExpired in
            if isExpired { os_log("out of time", log: log, type: .info) }
        }
        URLSession.shared.dataTask(with: url) { data, _, _ in
            guard let data, let messages = try? JSONDecoder().decode([Message].self, from: data) else {
                return self.finish()
            }
            self.post(messages[...])
        }
        .resume()
    }

    override func serviceExtensionTimeWillExpire() {
        os_log("expired", log: log)
        let content = UNMutableNotificationContent()
        content.body = "You may have new messages"
        let request = UNNotificationRequest(identifier: "may-have-messages", content: content, trigger: nil)
        UNUserNotificationCenter.current().add(request) { _ in self.finish() }
    }

    /// One after the other, so that they are listed in order.
    private func post(_ messages: ArraySlice<Message>) {
        guard let message = messages.first else { return finish() }
        UNUserNotificationCenter.current().add(request(for: message)) { error in
            if let error { os_log("%{public}@", log: log, type: .error, "\(error)") }
            self.answer.withLockUnchecked { $0.unread += 1 }
            self.post(messages.dropFirst())
        }
    }

    private func request(for message: Message) -> UNNotificationRequest {
        let content = UNMutableNotificationContent()
        content.title = message.sender
        content.body = message.text
        content.sound = .default
        content.threadIdentifier = message.group ?? message.sender
        content.categoryIdentifier = "INCOMING_MESSAGE"
        let sender = INPerson(
            personHandle: INPersonHandle(value: message.sender, type: .unknown),
            nameComponents: nil,
            displayName: message.sender,
            image: nil,
            contactIdentifier: nil,
            customIdentifier: message.sender
        )
        let intent = INSendMessageIntent(
            recipients: nil,
            outgoingMessageType: .outgoingMessageText,
            content: nil,
            speakableGroupName: message.group.map { INSpeakableString(spokenPhrase: $0) },
            conversationIdentifier: content.threadIdentifier,
            serviceName: nil,
            sender: sender,
            attachments: nil
        )
        let metadata = INSendMessageIntentDonationMetadata()
        metadata.mentionsCurrentUser = message.mentionsMe ?? false
        intent.donationMetadata = metadata
        let updated = (try? content.updating(from: intent)) ?? content
        return UNNotificationRequest(identifier: message.id, content: updated, trigger: nil)
    }

    private func finish() {
        let last = answer.withLockUnchecked { answer -> Answer in
            defer { answer.handler = nil }
            return answer
        }
        let content = UNMutableNotificationContent()
        content.badge = NSNumber(value: last.unread)
        last.handler?(content)
    }
}
