import APNS
import Transport

/// Who pushes. APNs ignores the token of a connection that showed a certificate.
public enum APNSCredential: Sendable {
    /// The team's key. Clients that share the source share its one token.
    case token(ProviderTokenSource)
    /// For the push types that Apple takes from certificates.
    case certificate(ClientCertificate)
}
