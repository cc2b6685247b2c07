import Envelope
public import Keys
import Opening
import Primitives

extension NotificationContent {
    /// Who speaks, as a communication notification names a person.
    public struct Sender: Hashable, Sendable {
        /// A person's name from the contact list, never from the message; a service may say for whom it speaks.
        public let displayName: String
        /// The same at every message of this sender's, and no key: iOS keeps it in places of its own.
        public let handle: String
        /// A picture that the app has put there; nil for none.
        public let avatarPath: String?
        /// The message's thread; without one, the sender's own.
        public let conversationID: String

        private static let context = "SealedPush/1 sender handle"

        /// What stands for a sender outside the app.
        ///
        /// - Parameters:
        ///   - key: the sender's.
        ///   - name: for whom a service speaks: each name is somebody else.
        /// - Returns: 22 characters of base64url.
        public static func handle(of key: SenderKey, speakingFor name: String? = nil) -> String {
            var bytes: [UInt8] = []
            bytes.append(lengthPrefixed: Array(context.utf8))
            bytes += key.rawRepresentation
            if let name { bytes += Array(name.utf8) }
            return Base64URL.string(Array(SHA256.hash(bytes).prefix(16)))
        }

        /// - Returns: nil where neither contact list nor message has a name that can be seen.
        init?(of opened: OpenedMessage, threadID: String, avatarPath: (String) -> String?) {
            // Only a service's claim is still there: rights were applied when the message was opened.
            let claimed = DisplayText.safe(opened.message.senderName, in: .line)
            let known = opened.contactName.map { DisplayText.safe($0, in: .line) } ?? ""
            displayName = claimed.isEmpty ? known : claimed
            guard !displayName.isEmpty else { return nil }
            handle = Self.handle(of: opened.sender, speakingFor: claimed.isEmpty ? nil : claimed)
            self.avatarPath = avatarPath(handle)
            conversationID = threadID.isEmpty ? handle : threadID
        }
    }
}
