public import Envelope
public import Keys
public import WebPush

/// What became of one push on the device (docs/protocol.md, section 13).
public enum Outcome: Hashable, Sendable {
    /// Authentic, in time, new, and within its sender's rights.
    case opened(OpenedMessage)
    /// The push carried no sealed field.
    case notSealed
    /// Not what any contact sealed for this device. One case for everything that fails between the alphabet and the
    /// signature, so that nobody learns from it how far a forgery got.
    case malformed
    /// Made by a newer version.
    case unsupported
    /// Sealed to a prekey that this device never had.
    case unknownKey
    /// Sealed to a prekey that this device had, and destroyed.
    case staleKey
    /// Its prekey can be read only while the device is unlocked.
    case locked
    /// The device's keys or contacts could not be read at all.
    case keysUnavailable
    /// Well signed by somebody who is no contact; the key is for a contact request.
    case unverifiedSender(SenderKey)
    /// Its time had passed.
    case expired
    /// Sent further in the future than clocks may differ, or a call under a clock that is wrong.
    case clockUntrusted
    /// Not known, but as old as messages of this sender that had to be forgotten.
    case tooOld
    /// Opened before.
    case replay
    /// The replay window could not be read or written: nothing may count as new.
    case storeUnavailable
    /// An operation that this contact may not use.
    case notPermitted
    /// A later change of the same message was there first.
    case superseded
    /// Opened as Web Push: whoever has the subscription could have written it.
    case unauthenticated(UnauthenticatedMessage)
}

/// A message that opened, less what its sender has no right to.
public struct OpenedMessage: Hashable, Sendable {
    /// What to show or do.
    public let message: Message
    /// The same for every recipient of a fan-out, and in a re-send.
    public let messageID: MessageID
    /// By the sender's clock.
    public let sentAt: Timestamp
    /// From then on it must not be shown.
    public let expiresAt: Timestamp
    /// Whose signature it carries.
    public let sender: SenderKey
    /// What the app calls the sender, from its contact list; nil for no name.
    public let contactName: String?
    /// The text was longer.
    public let isTruncated: Bool
}
