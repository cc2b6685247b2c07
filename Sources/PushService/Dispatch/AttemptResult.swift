package import APNS
import APNSProvider
package import Envelope
import Transport

/// The result of one attempt at APNs, as far as the rules tell results apart.
package enum AttemptResult: Equatable, Sendable {
    case answered(status: Int, reason: Reason?, timestamp: Timestamp?)
    /// Nothing was written to APNs: no connection, no room. It is no attempt.
    case notWritten
    /// APNs has certainly not acted on it: a GOAWAY, a refused stream.
    case notProcessed
    /// APNs may have acted on it.
    case ambiguous
    /// It breaks a rule of Apple's, and was not written.
    case notSendable
    /// The credential is suspended, and nothing was written. It is no attempt.
    case suspended

    /// The cause of a missing answer, in the words of the log and of a notification's `reason`.
    package enum Failure: String, Sendable, CaseIterable {
        /// The client did not send it: it breaks a rule of Apple's.
        case notSendable = "NotSendable"
        /// APNs has certainly not acted on it. With every word below it may have.
        case notProcessed = "NotProcessed"
        /// No answer came in time.
        case answerTimeout = "AnswerTimeout"
        /// Nothing came over the connection any more, not even the answer to a PING.
        case pingTimeout = "PingTimeout"
        /// The connection ended.
        case connectionLost = "ConnectionLost"
        /// APNs reset the stream.
        case streamReset = "StreamReset"
        case ambiguous = "Ambiguous"

        /// - Parameter cause: The failure of a push that APNs may have acted on.
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
