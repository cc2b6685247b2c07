public import Envelope
public import Keys
public import WebPush

/// Outcome of one push (docs/protocol.md, section 13).
public enum Outcome: Hashable, Sendable {
    /// Authentic, in time, new, and within its sender's rights.
    case opened(OpenedMessage)
    /// The push carried no sealed field.
    case notSealed
    /// Not sealed for this device by any contact. One case from alphabet to signature, so that forgers learn nothing.
    case malformed
    /// Made by a newer version.
    case unsupported
    /// Sealed to a prekey that this device never had.
    case unknownKey
    /// Sealed to a destroyed prekey.
    case staleKey
    /// Sealed to a prekey that is readable only while unlocked.
    case locked
    /// Keys or contacts were unreadable.
    case keysUnavailable
    /// Well signed by an unknown key, which serves for a contact request.
    case unverifiedSender(SenderKey)
    /// Received after its expiry.
    case expired
    /// From further in the future than clocks may differ, or a call under a wrong clock.
    case clockUntrusted
    /// As old as forgotten messages of this sender.
    case tooOld
    /// Opened before.
    case replay
    /// The replay window was unusable: nothing counts as new.
    case storeUnavailable
    /// Operation outside the sender's rights.
    case notPermitted
    /// Older than another change of the same message.
    case superseded
    /// Opened as Web Push: any holder of the subscription may have written it.
    case unauthenticated(UnauthenticatedMessage)
}

/// Opened message, reduced to its sender's rights.
public struct OpenedMessage: Hashable, Sendable {
    /// Message to show or carry out.
    public let message: Message
    /// Shared by a fan-out and its re-sends.
    public let messageID: MessageID
    /// Sending time by the sender's clock.
    public let sentAt: Timestamp
    /// Time from which it must not be shown.
    public let expiresAt: Timestamp
    /// The key that signed it.
    public let sender: SenderKey
    /// Sender's name in the contact list.
    public let contactName: String?
    /// True if the sender cut the text.
    public let isTruncated: Bool
}
