import APNS
import Transport

/// What a provider's certificate, or the lack of one, means for its connection.
enum CertificateVerdict: Equatable {
    /// Provider tokens are asked for.
    case absent
    /// It speaks for every push, and `authorization` is not looked at.
    case accepted(CertificateClaims)
    /// Before its first push, or push by push.
    case refused(Reason, endsConnection: Bool)

    /// - Parameters:
    ///   - certificate: what the client showed.
    ///   - isVerified: whether it is of our authorities, in its time and not revoked.
    ///   - environment: which of Apple's services this is.
    ///   - rules: how a refusal is told.
    init(
        _ certificate: TLSCertificate?,
        isVerified: Bool,
        environment: APNSEnvironment,
        rules: ValidationRules
    ) {
        guard let certificate else {
            self = .absent
            return
        }
        guard isVerified else {
            // Where the handshake refuses it, nobody comes here.
            self = .refused(.badCertificate, endsConnection: rules.untrustedCertificate != .status)
            return
        }
        let endsConnection = rules.unfitCertificate == .goAway
        do throws(CertificateClaims.Fault) {
            let claims = try CertificateClaims(
                commonName: certificate.commonName,
                userID: certificate.userID,
                extensionValue: certificate.extensionValue(of:)
            )
            self =
                claims.environments.contains(environment)
                ? .accepted(claims) : .refused(.badCertificateEnvironment, endsConnection: endsConnection)
        } catch {
            // Which of the two faults it is, Apple does not tell either.
            self = .refused(.badCertificate, endsConnection: endsConnection)
        }
    }

    /// The reason that ends the connection before its first push; `nil` where pushes are served or answered.
    var endOfConnection: Reason? {
        guard case .refused(let reason, endsConnection: true) = self else { return nil }
        return reason
    }
}
