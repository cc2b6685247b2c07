import APNS

/// Authenticates a provider. APNs ignores tokens on a connection with a certificate.
public enum APNSCredential: Sendable {
    /// Team's key; clients with the same source share its token.
    case token(ProviderTokenSource)
    /// For the push types that Apple accepts from certificates.
    case certificate(ClientCertificate)
}
