public import Envelope
public import Keys

/// What became of one push on the device.
public enum Outcome: Hashable, Sendable {
    /// Authentic and in time.
    case opened(OpenedMessage)
    /// The push carried no sealed field.
    case notSealed
    /// Not what any trusted sender sealed for this device. One case for everything that fails between the alphabet and
    /// the signature, so that nobody learns from it how far a forgery got.
    case malformed
    /// Made by a newer version.
    case unsupported
    /// Sealed to a prekey that this device does not have (any more).
    case unknownKey
    /// Well signed by somebody who is not among the trusted senders.
    case unverifiedSender(SenderKey)
    /// Its time had passed.
    case expired
    /// Sent further in the future than clocks may differ.
    case clockUntrusted
    /// The device's keys could not be read.
    case keysUnavailable
}

/// A message that is authentic: sealed for this device by a trusted sender.
public struct OpenedMessage: Hashable, Sendable {
    /// What to show.
    public let message: Message
    /// 16 bytes, chosen by the sender.
    public let messageID: [UInt8]
    /// By the sender's clock.
    public let sentAt: Timestamp
    /// By the sender's clock.
    public let expiresAt: Timestamp
    /// Who signed it.
    public let sender: SenderKey
    /// Whether the sender had to shorten the text.
    public let isTruncated: Bool
}
