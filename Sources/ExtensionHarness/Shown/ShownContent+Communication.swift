// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
internal import UserNotifications

extension ShownContent {
    /// Message of a communication notification: iOS draws sender and group beside the text.
    public struct Communication: Sendable, Equatable, Codable {
        let value: UserNotifications.Communication

        init(_ value: UserNotifications.Communication) { self.value = value }

        public var senderName: String { value.senderName }
        public var senderHandle: String? { value.senderHandle }
        public var senderPicture: Picture? { Picture(value.senderImage) }
        public var conversationIdentifier: String? { value.conversationID }
        public var groupName: String? { value.groupName }
        public var groupPicture: Picture? { Picture(value.groupImage) }
        /// Text that was given to the intent, which iOS stores of a donation.
        public var text: String? { value.text }
        public var recipientCount: Int { value.recipientCount }
        public var mentionsCurrentUser: Bool { value.mentionsCurrentUser }
        public var isReplyToCurrentUser: Bool { value.isReplyToCurrentUser }
        public var notifyRecipientAnyway: Bool { value.notifyRecipientAnyway }
    }

    /// Picture of a sender or group.
    public enum Picture: Sendable, Equatable {
        case file(String)
        case data([UInt8])
        /// Image of the app's bundle, or on a server.
        case named(String)

        init?(_ image: UserNotifications.Communication.Image?) {
            switch image {
            case .file(let path): self = .file(path)
            case .data(let data): self = .data(Array(data))
            case .named(let name): self = .named(name)
            case nil: return nil
            }
        }
    }
}
