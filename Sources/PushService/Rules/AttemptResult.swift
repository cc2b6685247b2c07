package import APNS
import APNSProvider
package import Envelope
import Networking

package enum AttemptResult: Equatable, Sendable {
    case answered(status: Int, reason: Reason?, timestamp: Timestamp?)
    /// No attempt: no connection, no room.
    case notWritten
    /// APNs has certainly not acted on it: a GOAWAY, a refused stream.
    case notProcessed
    /// APNs may have acted on it.
    case ambiguous
    /// Breaks Apple's rules; not written.
    case notSendable
    /// The credential is suspended, which is no attempt.
    case suspended

    /// Cause of a missing answer, in the log and a notification's `reason`.
    package enum Failure: String, Sendable, CaseIterable {
        case notSendable = "NotSendable"
        /// APNs has certainly not acted; below, it may have.
        case notProcessed = "NotProcessed"
        case answerTimeout = "AnswerTimeout"
        /// Nothing came over the connection, not even a PING's answer.
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
