public import Envelope

/// Reason why a message was not sealed.
public enum SealingError: Error, Equatable {
    /// The message itself is at fault.
    case message(MessageError)
    /// The lifetime is under a millisecond, or longer than `lifetimeMax`.
    case lifetime(lifetimeMax: Duration)
    /// A call would ring longer than `Message.callLifetimeMax`, 60 seconds, which devices refuse. Shorten the lifetime,
    /// or send a message that is no call.
    case callLifetime(lifetimeMax: Duration)
    /// The app's own limit for lifetimes exceeds the protocol's.
    case lifetimeMax(cap: Duration)
    /// A time is out of range: 2^53 milliseconds after 1970 or later.
    case sentAt
    /// The message was prepared for a suite other than the recipient's. Under both it would be as weak as the weaker;
    /// send such a recipient another message, with its own id.
    case otherSuite
    /// The recipient's prekey has expired, and its device will not open the message. Fetch its bundle anew.
    case prekeyExpired(at: Timestamp)
    /// The message has expired; no device would show it.
    case expired(at: Timestamp)
    /// The random source returned the same bytes twice: nothing sealed with it would be secret.
    case randomSourceFailed
    /// The recipient's key gives no secrecy; its bundle should have been refused.
    case unusablePrekey
}
