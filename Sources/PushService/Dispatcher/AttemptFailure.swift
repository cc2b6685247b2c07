import APNSProvider
import Transport

/// Why an attempt has no answer, in the words of the log and of a notification's `reason`.
package enum AttemptFailure: String, Sendable, CaseIterable {
    /// The client did not send it: it breaks a rule of Apple's.
    case notSendable = "NotSendable"
    /// APNs has certainly not acted on it, as with the one before. Behind all others it may have.
    case notProcessed = "NotProcessed"
    /// No answer came within the time for one.
    case answerTimeout = "AnswerTimeout"
    /// Nothing came over the connection any more, not even the answer to a PING.
    case pingTimeout = "PingTimeout"
    /// The connection ended.
    case connectionLost = "ConnectionLost"
    /// APNs gave this one up.
    case streamReset = "StreamReset"
    case ambiguous = "Ambiguous"

    /// - Parameter cause: what became of a push that APNs may have acted on.
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
