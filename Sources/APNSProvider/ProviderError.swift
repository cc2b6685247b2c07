package import Primitives
package import Transport

/// Why a push was not sent, or its answer not received. Never with a token, a key or a payload in it.
package enum ProviderError: Error, Equatable {
    /// The signing key failed.
    case key(ES256Error)
    /// Refused before sending: the rule of Apple's that the push would have broken.
    case notSendable(PushNotification.Fault)
    /// The connection or the request failed; the case tells whether APNs may have acted on the push.
    case transport(TransportError)
}
