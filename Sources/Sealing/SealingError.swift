public import Envelope

/// Reason why a message was not sealed.
public enum SealingError: Error, Equatable {
    /// The message itself is at fault.
    case message(MessageError)
    /// The lifetime is under a millisecond, or longer than `lifetimeMax`.
    case lifetime(lifetimeMax: Duration)
    /// A call would ring longer than `Message.callLifetimeMax`, 60 seconds, which devices refuse.
    case callLifetime(lifetimeMax: Duration)
    /// The app's own limit for lifetimes exceeds the protocol's.
    case lifetimeMax(cap: Duration)
    /// A time is 2^53 milliseconds after 1970 or later.
    case sentAt
    /// The message was prepared for another suite. Under both it would be as weak as the weaker; send a new message.
    case otherSuite
    /// The prekey has expired. Fetch the device's bundle anew.
    case prekeyExpired(at: Timestamp)
    /// The message has expired; no device would show it.
    case expired(at: Timestamp)
    /// Random bytes repeated: nothing sealed with them would be secret.
    case randomSourceFailed
    /// The key gives no secrecy; its bundle should have been refused.
    case unusablePrekey
}
