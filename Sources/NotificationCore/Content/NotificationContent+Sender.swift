import Envelope
public import Keys
import Opening
import Primitives

extension NotificationContent {
    /// Sender in a communication notification.
    public struct Sender: Hashable, Sendable {
        /// Name from the contact list, not from a person's message; a service may name another.
        public let displayName: String
        /// Constant per sender and no key: iOS stores it elsewhere.
        public let handle: String
        /// Picture set by the app.
        public let avatarPath: String?
        /// Message's thread, else the handle.
        public let conversationID: String
        /// Group of the thread, set by the app; nil for a message to one person.
        public let group: Group?
        /// True if the message mentions the person, by `DisplayPolicy.mentionName`.
        public let mentionsPerson: Bool

        /// Group in a communication notification.
        public struct Group: Hashable, Sendable {
            /// App's name for it, never the message's.
            public let name: String
            /// Picture set by the app.
            public let picturePath: String?
        }

        private static let context = "SealedPush/1 sender handle"

        /// Public handle of a sender: 22 base64url characters.
        ///
        /// - Parameters:
        ///   - key: the sender's.
        ///   - name: whom a service speaks for; each gets a handle.
        public static func handle(of key: SenderKey, speakingFor name: String? = nil) -> String {
            var bytes: [UInt8] = []
            bytes.append(lengthPrefixed: Array(context.utf8))
            bytes += key.rawRepresentation
            if let name { bytes += Array(name.utf8) }
            return Base64URL.string(Array(SHA256.hash(bytes).prefix(16)))
        }

        /// - Returns: nil without a visible name.
        init?(
            of opened: OpenedMessage,
            threadID: String,
            mentionName: String? = nil,
            sources: ContentSources = ContentSources()
        ) {
            // Only a service's claim is left after opening.
            let claimed = DisplayText.safe(opened.message.senderName, in: .line)
            let known = opened.contactName.map { DisplayText.safe($0, in: .line) } ?? ""
            displayName = claimed.isEmpty ? known : claimed
            guard !displayName.isEmpty else { return nil }
            handle = Self.handle(of: opened.sender, speakingFor: claimed.isEmpty ? nil : claimed)
            avatarPath = sources.avatarPath(handle)
            conversationID = threadID.isEmpty ? handle : threadID
            group = threadID.isEmpty ? nil : sources.group(threadID)
            mentionsPerson = opened.message.mentionsPerson(mentionName)
        }
    }
}

extension Message {
    /// - Parameter name: `DisplayPolicy.mentionName`.
    func mentionsPerson(_ name: String?) -> Bool { name.map { userInfo[$0] == .bool(true) } ?? false }
}
