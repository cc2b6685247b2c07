// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Message from one person to others, sent or received.
///
/// - Source: https://developer.apple.com/documentation/intents/insendmessageintent
open class INSendMessageIntent: INIntent, CommunicationProviding {
    public let recipients: [INPerson]?
    public let outgoingMessageType: INOutgoingMessageType
    public let content: String?
    public let speakableGroupName: INSpeakableString?
    public let conversationIdentifier: String?
    public let serviceName: String?
    public let sender: INPerson?
    public let attachments: [INSendMessageAttachment]?

    public init(
        recipients: [INPerson]?,
        outgoingMessageType: INOutgoingMessageType,
        content: String?,
        speakableGroupName: INSpeakableString?,
        conversationIdentifier: String?,
        serviceName: String?,
        sender: INPerson?,
        attachments: [INSendMessageAttachment]?
    ) {
        self.recipients = recipients
        self.outgoingMessageType = outgoingMessageType
        self.content = content
        self.speakableGroupName = speakableGroupName
        self.conversationIdentifier = conversationIdentifier
        self.serviceName = serviceName
        self.sender = sender
        self.attachments = attachments
    }

    package var communication: Communication {
        let metadata = donationMetadata as? INSendMessageIntentDonationMetadata
        var communication = Communication()
        communication.senderName = sender?.displayName ?? ""
        communication.senderHandle = sender?.personHandle?.value
        communication.senderImage = (sender?.image ?? image(forParameterNamed: \.sender))?.image
        communication.conversationID = conversationIdentifier
        communication.groupName = speakableGroupName?.spokenPhrase
        communication.groupImage = image(forParameterNamed: \.speakableGroupName)?.image
        communication.text = content
        communication.recipientCount = metadata?.recipientCount ?? recipients?.count ?? 0
        communication.mentionsCurrentUser = metadata?.mentionsCurrentUser ?? false
        communication.isReplyToCurrentUser = metadata?.isReplyToCurrentUser ?? false
        communication.notifyRecipientAnyway = metadata?.notifyRecipientAnyway ?? false
        return communication
    }
}

/// More about a donated message.
///
/// - Source: https://developer.apple.com/documentation/intents/insendmessageintentdonationmetadata
open class INSendMessageIntentDonationMetadata: INIntentDonationMetadata {
    open var mentionsCurrentUser = false
    open var isReplyToCurrentUser = false
    open var notifyRecipientAnyway = false
    open var recipientCount = 0

    public override init() { super.init() }
}

/// Form of a message, with Apple's values.
///
/// - Source: https://developer.apple.com/documentation/intents/inoutgoingmessagetype
public enum INOutgoingMessageType: Int, Sendable {
    case unknown
    case outgoingMessageText
    case outgoingMessageAudio
}

/// File of a message; none can be made here.
///
/// - Source: https://developer.apple.com/documentation/intents/insendmessageattachment
open class INSendMessageAttachment: NSObject {
    private override init() {}
}
