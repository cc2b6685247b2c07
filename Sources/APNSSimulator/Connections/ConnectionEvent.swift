package import APNS

/// What happened to providers' connections, each by our own number, from 1.
package enum ConnectionEvent: Sendable, Equatable {
    /// The handshake is done.
    case opened(Int)
    /// The client was told another limit of streams.
    case streamLimit(Int, UInt32)
    /// It made too many errors; `reason` is the last of them, and what the GOAWAY says.
    case tooManyErrors(Int, Reason)
    /// The control interface ended it.
    case dismissed(Int, reason: String)
    case closed(Int, ConnectionTally)
    /// Somebody came back too quickly, and was not let in.
    case turnedAway
}

/// What one connection came to.
package struct ConnectionTally: Sendable, Equatable {
    package var acceptedCount = 0
    package var rejectedCount = 0
    /// Streams that were begun.
    package var streamCount = 0
    /// Streams beyond the limit.
    package var refusedStreamCount = 0
    /// Streams that either side broke off before their answer.
    package var brokenStreamCount = 0
    /// It flooded, and was shown out for it.
    package var isFlooded = false
}
