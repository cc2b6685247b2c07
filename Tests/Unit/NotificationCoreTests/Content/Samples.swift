import Envelope
import Keys
import Sealing
import TestSupport
import WebPush

@testable import NotificationCore
@testable import Opening

/// One outcome of each kind, with words in it where it can have any.
enum Samples {
    static let texts = FailureTexts(
        title: "Acme Chat",
        newMessage: "You have a new message",
        expired: "Too late",
        updateNeeded: "Update",
        unlockNeeded: "Unlock",
        neutral: "Nothing new"
    )
    static let sender = key(seed: 1)
    static let messageID = MessageID(bytes: [UInt8](repeating: 7, count: 16))

    static func key(seed: UInt64) -> SenderKey {
        var random = SeededRandom(seed: seed)
        return SenderIdentity(random: &random).publicKey
    }

    static func opened(
        _ message: Message,
        name: String? = nil,
        sender: SenderKey = Samples.sender,
        isTruncated: Bool = false
    ) -> OpenedMessage {
        OpenedMessage(
            message: message,
            messageID: messageID,
            sentAt: Phone.start,
            expiresAt: Phone.start.advanced(by: .seconds(60)),
            sender: sender,
            contactName: name,
            isTruncated: isTruncated
        )
    }

    static func message(_ operation: Message.Operation) -> Message {
        var message = Message(title: "Words", subtitle: "of the", body: "sender", threadID: "thread")
        message.operation = operation
        return message
    }

    static var messageWithAttachment: Message {
        var message = message(.show)
        message.attachments = [attachment()].compactMap { $0 }
        return message
    }

    /// A picture at a host that the tests' policy allows; nil for a length beyond any.
    static func attachment(
        _ number: UInt8 = 1,
        url: String = "https://files.example.com/v1/blobs/1",
        byteCount: UInt64 = 100,
        type: String = "image/png",
        isThumbnail: Bool = false
    ) -> AttachmentPointer? {
        guard let id = AttachmentID(rawRepresentation: [UInt8](repeating: number, count: 16)),
            let key = AttachmentKey(rawRepresentation: [UInt8](repeating: number, count: 32)),
            let url = AttachmentURL(url), let type = MediaType(type)
        else { return nil }
        return try? AttachmentPointer(
            id: id,
            url: url,
            key: key,
            byteCount: byteCount,
            type: type,
            isThumbnail: isThumbnail
        )
    }

    static func outcome(_ kind: OutcomeKind) -> Outcome {
        switch kind {
        case .opened, .muted: .opened(opened(message(.show)))
        case .openedWithoutAttachments: .opened(opened(messageWithAttachment))
        case .remove: .opened(opened(message(.remove(messageID))))
        case .badge: .opened(opened(message(.badge)))
        case .call: .opened(opened(message(.call("offer"))))
        case .test: .opened(opened(message(.test)))
        case .notSealed: .notSealed
        case .malformed: .malformed
        case .unsupported: .unsupported
        case .unknownKey: .unknownKey
        case .staleKey: .staleKey
        case .locked: .locked
        case .keysUnavailable: .keysUnavailable
        case .unverifiedSender: .unverifiedSender(sender)
        case .expired: .expired
        case .clockUntrusted: .clockUntrusted
        case .tooOld: .tooOld
        case .replay: .replay
        case .storeUnavailable: .storeUnavailable
        case .notPermitted: .notPermitted
        case .superseded: .superseded
        case .unauthenticated: unauthenticated
        case .notOpenedInTime, .leftToApp: .notSealed
        }
    }

    private static var unauthenticated: Outcome {
        let plaintext = Array(#"{"title":"Web","body":"Push"}"#.utf8)
        // Otherwise the outcome would have another kind than the requested one.
        return (try? UnauthenticatedMessage(plaintext: plaintext)).map { .unauthenticated($0) } ?? .malformed
    }

    static func content(
        of kind: OutcomeKind,
        display: DisplayPolicy = DisplayPolicy(texts: texts)
    ) -> NotificationContent {
        switch kind {
        case .notOpenedInTime, .leftToApp: NotificationContent(unopened: kind, display: display)
        case .muted: content(outcome(kind), display: display, sources: ContentSources(isMuted: { _, _ in true }))
        default: content(outcome(kind), display: display)
        }
    }

    static func content(
        _ outcome: Outcome,
        display: DisplayPolicy = DisplayPolicy(texts: texts),
        sources: ContentSources = ContentSources()
    ) -> NotificationContent {
        NotificationContent(OpenedPush(outcome: outcome, claim: nil), display: display, trace: nil, sources: sources)
    }
}
