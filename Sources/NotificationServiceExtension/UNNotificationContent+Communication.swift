import Intents
import NotificationCore
import UserNotifications

// Communication notification: shows sender and group, and passes a focus that allows the person. It needs
// the capability of that name and INSendMessageIntent in the app's NSUserActivityTypes.
extension UNNotificationContent {
    /// Content with sender; unchanged if iOS refuses.
    func asCommunication(from sender: NotificationContent.Sender) -> UNNotificationContent {
        let person = INPerson(
            personHandle: INPersonHandle(value: sender.handle, type: .unknown),
            nameComponents: nil,
            displayName: sender.displayName,
            image: sender.avatarPath.flatMap { INImage(url: URL(fileURLWithPath: $0)) },
            contactIdentifier: nil,
            customIdentifier: sender.handle
        )
        // Without text: iOS stores donations.
        let intent = INSendMessageIntent(
            recipients: nil,
            outgoingMessageType: .outgoingMessageText,
            content: nil,
            speakableGroupName: sender.group.map { INSpeakableString(spokenPhrase: $0.name) },
            conversationIdentifier: sender.conversationID,
            serviceName: nil,
            sender: person,
            attachments: nil
        )
        if let path = sender.group?.picturePath {
            intent.setImage(INImage(url: URL(fileURLWithPath: path)), forParameterNamed: \.speakableGroupName)
        }
        if sender.mentionsPerson {
            let metadata = INSendMessageIntentDonationMetadata()
            metadata.mentionsCurrentUser = true
            intent.donationMetadata = metadata
        }
        let interaction = INInteraction(intent: intent, response: nil)
        interaction.direction = .incoming
        interaction.donate(completion: nil)
        do { return try updating(from: intent) } catch { return self }
    }
}
