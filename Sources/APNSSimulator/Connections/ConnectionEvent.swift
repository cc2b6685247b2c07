package import APNS

/// Connections appear by our number, from 1.
package enum ConnectionEvent: Sendable, Equatable {
    case opened(Int)
    case streamLimit(Int, UInt32)
    /// Too many errors; the GOAWAY carries the last one's reason.
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
    /// Streams that either side reset before the answer.
    package var brokenStreamCount = 0
    /// True if closed for flooding.
    package var isFlooded = false
}
