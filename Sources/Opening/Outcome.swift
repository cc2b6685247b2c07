public import Envelope
public import Keys
public import WebPush

/// The outcome of one push on the device (docs/protocol.md, section 13).
public enum Outcome: Hashable, Sendable {
    /// Authentic, in time, new, and within its sender's rights.
    case opened(OpenedMessage)
    /// The push carried no sealed field.
    case notSealed
    /// Not sealed for this device by any contact. One case covers every failure from the alphabet to the signature, so
    /// that it reveals nothing about a forgery's progress.
    case malformed
    /// Made by a newer version.
    case unsupported
    /// Sealed to a prekey that this device never had.
    case unknownKey
    /// Sealed to a destroyed prekey of this device.
    case staleKey
    /// Sealed to a prekey that is readable only while the device is unlocked.
    case locked
    /// The device's keys or contacts were unreadable.
    case keysUnavailable
    /// Well signed by a key that is no contact's; it serves for a contact request.
    case unverifiedSender(SenderKey)
    /// Received after its expiry.
    case expired
    /// Sent further in the future than clocks may differ, or a call under a wrong clock.
    case clockUntrusted
    /// Unknown, but as old as forgotten messages of this sender.
    case tooOld
    /// Opened before.
    case replay
    /// The replay window was unreadable or unwritable: nothing may count as new.
    case storeUnavailable
    /// An operation outside the contact's rights.
    case notPermitted
    /// A later change of the same message came first.
    case superseded
    /// Opened as Web Push: any holder of the subscription could have written it.
    case unauthenticated(UnauthenticatedMessage)
}

/// An opened message without the parts to which its sender has no right.
public struct OpenedMessage: Hashable, Sendable {
    /// The message to show or carry out.
    public let message: Message
    /// The id, which all recipients of a fan-out and every re-send share.
    public let messageID: MessageID
    /// The sending time by the sender's clock.
    public let sentAt: Timestamp
    /// The time from which it must not be shown.
    public let expiresAt: Timestamp
    /// The key that signed it.
    public let sender: SenderKey
    /// The sender's name in the app's contact list; nil for no name.
    public let contactName: String?
    /// True if the sender cut the text.
    public let isTruncated: Bool
}
