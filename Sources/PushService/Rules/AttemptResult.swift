package import APNS
import APNSProvider
package import Envelope
import Networking

/// Result of one attempt at APNs.
package enum AttemptResult: Equatable, Sendable {
    case answered(status: Int, reason: Reason?, timestamp: Timestamp?)
    /// Nothing was written: no connection, no room. It is no attempt.
    case notWritten
    /// APNs has certainly not acted on it: a GOAWAY, a refused stream.
    case notProcessed
    /// APNs may have acted on it.
    case ambiguous
    /// It breaks a rule of Apple's, and was not written.
    case notSendable
    /// The credential is suspended, which is no attempt.
    case suspended

    /// Cause of a missing answer, as in the log and in a notification's `reason`.
    package enum Failure: String, Sendable, CaseIterable {
        case notSendable = "NotSendable"
        /// APNs has certainly not acted on it. In all cases below it may have.
        case notProcessed = "NotProcessed"
        case answerTimeout = "AnswerTimeout"
        /// Nothing came over the connection, not even the answer to a PING.
        case pingTimeout = "PingTimeout"
        case connectionLost = "ConnectionLost"
        case streamReset = "StreamReset"
        case ambiguous = "Ambiguous"

        init(unknown cause: RequestFailure) {
            self =
                switch cause {
                case .deadlineExceeded: .answerTimeout
                case .connection(.deadlineExceeded(.ping)): .pingTimeout
                case .connection: .connectionLost
                case .reset: .streamReset
                default: .ambiguous
                }
        }
    }
}
