public import Envelope

/// Reason why a message was not sealed.
public enum SealingError: Error, Equatable {
    /// The message itself is at fault.
    case message(MessageError)
    /// Lifetime under a millisecond, or over `lifetimeMax`.
    case lifetime(lifetimeMax: Duration)
    /// Call that would ring longer than `Message.callLifetimeMax`, 60 seconds, which devices refuse.
    case callLifetime(lifetimeMax: Duration)
    /// The app's own limit for lifetimes exceeds the protocol's.
    case lifetimeMax(cap: Duration)
    /// A time is 2^53 milliseconds after 1970 or later.
    case sentAt
    /// Message prepared for another suite. Under both it would be as weak as the weaker; send a new message.
    case otherSuite
    /// Expired prekey. Fetch the device's bundle anew.
    case prekeyExpired(at: Timestamp)
    /// Expired message; no device would show it.
    case expired(at: Timestamp)
    /// Random bytes repeated: nothing sealed with them would be secret.
    case randomSourceFailed
    /// The key gives no secrecy; its bundle should have been refused.
    case unusablePrekey
}
