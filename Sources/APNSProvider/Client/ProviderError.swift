public import APNS
public import Primitives
public import Transport

/// Why a push was not sent, or its answer not received. Never with a token, a key or a payload in it.
public enum ProviderError: Error, Equatable {
    /// The signing key failed.
    case key(ES256Error)
    /// TLS could not be set up: the authorities cannot be used.
    case tls(TLSError)
    /// The certificate is not for this endpoint, or not valid now.
    case certificate(ClientCertificateError)
    /// The machine has no room for another thread or descriptor.
    case system(TransportError)
    /// Refused before sending: the rule of Apple's that the push would have broken.
    case notSendable(PushNotification.Fault)
    /// APNs does not believe the credential, so nothing more is sent with it; the reason is Apple's.
    case suspended(Reason)
    /// `trySend`: as many pushes as may wait are waiting.
    case queueFull(countMax: Int)
    /// APNs has not acted on the push: sending it again cannot show it twice.
    case notProcessed(SendFailure)
    /// APNs may have acted on the push. Send it again with the same `apns-id` and a collapse id, or not at all.
    case ambiguous(SendFailure)
    /// The task was cancelled.
    case cancelled(mayHaveBeenSent: Bool)
    /// The client was closed before APNs could act on the push.
    case closed
}

/// What kept a push from its answer.
public struct SendFailure: Error, Equatable {
    /// What happened to the last attempt.
    public let cause: RequestFailure
    /// What APNs said when it ended the connection: the JSON in a GOAWAY's debug data.
    public let goAway: RejectionBody?
    /// How often the push was begun to be sent; 0: it waited in vain.
    public let attemptCount: Int

    /// A failure as a stand-in for the client reports it.
    public init(cause: RequestFailure, goAway: RejectionBody? = nil, attemptCount: Int) {
        self.cause = cause
        self.goAway = goAway
        self.attemptCount = attemptCount
    }
}

extension ProviderError: CustomStringConvertible {
    /// What happened and what to do next.
    public var description: String {
        switch self {
        case .key(let error): "the signing key cannot be used: \(error)"
        case .tls(let error): "the authorities cannot be used: \(error)"
        case .certificate(let error): error.description
        case .system(let error): error.description
        case .notSendable(let fault): "not sent: \(fault)"
        case .suspended(let reason):
            "not sent: APNs refused the credential with \(reason.rawValue); replace it, or resume once it is right again"
        case .queueFull(let countMax): "not sent: \(countMax) pushes wait already; send fewer at once, or wait"
        case .notProcessed(let failure): "not taken by APNs, so it may be sent again: \(failure)"
        case .ambiguous(let failure):
            "APNs may have taken it: \(failure); send it again with the same apns-id and a collapse id, or not at all"
        case .cancelled(mayHaveBeenSent: false): "cancelled before it was sent"
        case .cancelled(mayHaveBeenSent: true): "cancelled; APNs may have taken it"
        case .closed: "not sent: the client was closed"
        }
    }
}

extension SendFailure: CustomStringConvertible {
    /// What happened.
    public var description: String {
        let reason = goAway.map { " (APNs says \($0.reasonText))" } ?? ""
        return "\(cause)\(reason), after \(attemptCount) attempts"
    }
}
