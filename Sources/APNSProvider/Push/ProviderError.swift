public import APNS
public import Networking
public import Primitives

/// Reason for a missing answer. Holds no token, key or payload.
public enum ProviderError: Error, Equatable {
    /// Failed signing key.
    case key(ES256Error)
    /// Unusable authorities.
    case tls(TLSError)
    /// Certificate for another endpoint, or not valid now.
    case certificate(ClientCertificateError)
    /// No thread or descriptor left.
    case system(TransportError)
    /// Not sent: the push breaks a rule of Apple's.
    case notSendable(PushNotificationError)
    /// APNs refuses the credential, for Apple's reason; nothing more is sent with it.
    case suspended(Reason)
    /// `trySend`: too many pushes wait already.
    case queueFull(countMax: Int)
    /// APNs has not acted on the push: a resend cannot show it twice.
    case notProcessed(SendError)
    /// APNs may have acted on the push. Resend it with the same `apns-id` and a collapse id, or not at all.
    case ambiguous(SendError)
    /// Cancelled task.
    case cancelled(mayHaveBeenSent: Bool)
    /// Client closed before APNs could act on the push.
    case closed
}

/// Failed send.
public struct SendError: Error, Equatable {
    /// Failure of the last attempt.
    public let cause: RequestFailure
    /// APNs' reason for ending the connection: the JSON in a GOAWAY's debug data.
    public let goAway: RejectionBody?
    /// Attempts; 0: none was begun.
    public let attemptCount: Int

    /// Makes a failure, for stand-ins of the client.
    public init(cause: RequestFailure, goAway: RejectionBody? = nil, attemptCount: Int) {
        self.cause = cause
        self.goAway = goAway
        self.attemptCount = attemptCount
    }
}

extension ProviderError: CustomStringConvertible {
    /// Failure, and advice.
    public var description: String {
        switch self {
        case .key(let error): "the signing key cannot be used: \(error)"
        case .tls(let error): "the authorities cannot be used: \(error)"
        case .certificate(let error): error.description
        case .system(let error): error.description
        case .notSendable(let fault): "not sent: \(fault)"
        case .suspended(let reason):
            "not sent: APNs refused the credential with \(reason.rawValue); replace it, or resume when it is valid"
        case .queueFull(let countMax): "not sent: \(countMax) pushes are waiting already; send fewer at once, or wait"
        case .notProcessed(let failure): "not processed by APNs, so it can be sent again: \(failure)"
        case .ambiguous(let failure):
            "APNs may have accepted it: \(failure); send it again only with the same apns-id and a collapse id"
        case .cancelled(mayHaveBeenSent: false): "cancelled before it was sent"
        case .cancelled(mayHaveBeenSent: true): "cancelled; APNs may have accepted it"
        case .closed: "not sent: the client was closed"
        }
    }
}

extension SendError: CustomStringConvertible {
    /// The failure.
    public var description: String {
        let reason = goAway.map { " (APNs says \($0.reasonText))" } ?? ""
        return "\(cause)\(reason), after \(attemptCount) attempts"
    }
}
