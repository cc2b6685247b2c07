package import APNS

/// Connections appear by number, from 1.
package enum ConnectionEvent: Sendable, Equatable {
    case opened(Int)
    case streamLimit(Int, UInt32)
    /// Too many errors; the GOAWAY has the last one's reason.
    case tooManyErrors(Int, Reason)
    case dismissed(Int, reason: String)
    case closed(Int, ConnectionTally)
    /// Refused for reconnecting too fast.
    case turnedAway
}

package struct ConnectionTally: Sendable, Equatable {
    package var acceptedCount = 0
    package var rejectedCount = 0
    package var streamCount = 0
    package var refusedStreamCount = 0
    /// Streams that either side reset unanswered.
    package var brokenStreamCount = 0
    package var isFlooded = false
}
