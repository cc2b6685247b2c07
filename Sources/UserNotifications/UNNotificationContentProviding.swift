/// Object that a notification's content can be updated from, such as an intent of Intents.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationcontentproviding
public protocol UNNotificationContentProviding: NSObjectProtocol {}

/// Provider of Intents' stand-in.
package protocol CommunicationProviding: UNNotificationContentProviding {
    var communication: Communication { get }
}

/// Message of a communication notification, as a value.
package struct Communication: Sendable, Hashable, Codable {
    package enum Image: Sendable, Hashable, Codable {
        case file(String)
        case data(Data)
        case named(String)
    }

    package var senderName = ""
    package var senderHandle: String?
    package var senderImage: Image?
    package var conversationID: String?
    package var groupName: String?
    package var groupImage: Image?
    /// Message's text, which iOS would store of a donation.
    package var text: String?
    package var recipientCount = 0
    package var mentionsCurrentUser = false
    package var isReplyToCurrentUser = false
    package var notifyRecipientAnyway = false

    package init() {}
}

extension UNNotificationContent {
    /// Copy with a message's sender and group. The texts stay; iOS draws the names itself.
    ///
    /// - Throws: `UNError` with `.contentProvidingObjectNotAllowed` for an object that is not Apple's.
    /// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationcontent/updating(from:)
    public func updating(from provider: any UNNotificationContentProviding) throws -> UNNotificationContent {
        guard let provider = provider as? any CommunicationProviding else {
            throw UNError(.contentProvidingObjectNotAllowed)
        }
        let content = UNNotificationContent(copying: self)
        content.communication = provider.communication
        return content
    }

    /// Nil for an ordinary notification.
    package var communication: Communication? {
        get { fields.communication }
        set { fields.communication = newValue }
    }
}
