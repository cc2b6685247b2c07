package import APNS
package import Primitives
package import Transport

/// Why a push was not sent, or its answer not received. Never with a token, a key or a payload in it.
package enum ProviderError: Error, Equatable {
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
package struct SendFailure: Error, Equatable {
    package let cause: RequestFailure
    /// What APNs said when it ended the connection: the JSON in a GOAWAY's debug data.
    package let goAway: RejectionBody?
    /// How often the push was begun to be sent; 0: it waited in vain.
    package let attemptCount: Int

    package init(cause: RequestFailure, goAway: RejectionBody? = nil, attemptCount: Int) {
        self.cause = cause
        self.goAway = goAway
        self.attemptCount = attemptCount
    }
}
