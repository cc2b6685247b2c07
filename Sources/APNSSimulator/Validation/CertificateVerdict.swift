import APNS
import Networking

enum CertificateVerdict: Equatable {
    /// No certificate; provider tokens are required.
    case absent
    /// Valid for every push; `authorization` is ignored.
    case accepted(CertificateClaims)
    /// Refused before the first push, or push by push.
    case refused(Reason, endsConnection: Bool)

    /// - Parameter isVerified: signed by our authorities, within its dates, not revoked.
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
            // Not reached where the handshake refuses.
            self = .refused(.badCertificate, endsConnection: rules.untrustedCertificate != .status)
            return
        }
        let endsConnection = rules.unfitCertificate == .goAway
        do throws(CertificateClaimsError) {
            let claims = try CertificateClaims(
                commonName: certificate.commonName,
                userID: certificate.userID,
                extensionValue: certificate.extensionValue(of:)
            )
            self =
                claims.environments.contains(environment)
                ? .accepted(claims) : .refused(.badCertificateEnvironment, endsConnection: endsConnection)
        } catch {
            // Apple does not distinguish the faults either.
            self = .refused(.badCertificate, endsConnection: endsConnection)
        }
    }

    var endOfConnection: Reason? {
        guard case .refused(let reason, endsConnection: true) = self else { return nil }
        return reason
    }
}
