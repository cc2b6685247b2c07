package import Primitives

/// Why a push was not sent. Never with a token, a key or a payload in it.
package enum ProviderError: Error, Equatable {
    /// The signing key failed.
    case key(ES256Error)
    /// Refused before sending: APNs would answer with this reason.
    case notSendable(Notification.Fault)
}
