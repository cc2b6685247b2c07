public import Envelope

/// Why a message was not sealed.
public enum SealingError: Error, Equatable {
    /// The message itself.
    case message(MessageError)
    /// A lifetime of less than a millisecond, or longer than `lifetimeMax`.
    case lifetime(lifetimeMax: Duration)
    /// A call that would ring for longer than `Message.callLifetimeMax`, 60 seconds: devices refuse it. Take a shorter
    /// lifetime, or send a message that is no call.
    case callLifetime(lifetimeMax: Duration)
    /// The app's own limit for lifetimes is beyond what the protocol allows.
    case lifetimeMax(cap: Duration)
    /// A time that is none: 2^53 milliseconds after 1970 or later.
    case sentAt
    /// The message was prepared for another cipher suite than the recipient's. Under both it would be as weak as the
    /// weaker; what goes to such a recipient is another message, with an id of its own.
    case otherSuite
    /// The recipient was kept for too long: its device will not open what is sealed to it now. Fetch its bundle anew.
    case prekeyExpired(at: Timestamp)
    /// No device would show the message any more.
    case expired(at: Timestamp)
    /// The source of random bytes gave the same twice: nothing sealed with it would be secret.
    case randomSourceFailed
    /// The recipient's key gives no secrecy; its bundle should have been refused.
    case unusablePrekey
}
