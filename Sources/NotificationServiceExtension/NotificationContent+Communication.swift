#if canImport(Intents)
import Intents
import NotificationCore
import UserNotifications

// A communication notification: iOS shows the sender's picture and name, and lets the message through a focus that allows
// this person. It takes the capability of the same name, and INSendMessageIntent among the app's NSUserActivityTypes.
extension UNNotificationContent {
    /// The same content with a sender; the plain one where iOS refuses.
    func asCommunication(from sender: NotificationContent.Sender) -> UNNotificationContent {
        let person = INPerson(
            personHandle: INPersonHandle(value: sender.handle, type: .unknown),
            nameComponents: nil,
            displayName: sender.displayName,
            image: sender.avatarPath.flatMap { INImage(url: URL(fileURLWithPath: $0)) },
            contactIdentifier: nil,
            customIdentifier: sender.handle
        )
        // Without the text: what is donated stays in a store of iOS's.
        let intent = INSendMessageIntent(
            recipients: nil,
            outgoingMessageType: .outgoingMessageText,
            content: nil,
            speakableGroupName: nil,
            conversationIdentifier: sender.conversationID,
            serviceName: nil,
            sender: person,
            attachments: nil
        )
        let interaction = INInteraction(intent: intent, response: nil)
        interaction.direction = .incoming
        interaction.donate(completion: nil)
        do { return try updating(from: intent) } catch { return self }
    }
}
#endif
