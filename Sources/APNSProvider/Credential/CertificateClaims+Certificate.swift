import APNS
import Networking

extension CertificateClaims {
    /// - Throws: `.notForAPNs`, `.topicsUnreadable`.
    init(_ certificate: TLSCertificate) throws(ClientCertificateError) {
        do throws(CertificateClaimsError) {
            try self.init(
                commonName: certificate.commonName,
                userID: certificate.userID,
                extensionValue: certificate.extensionValue(of:)
            )
        } catch {
            switch error {
            case .notForAPNs: throw .notForAPNs
            case .topicsUnreadable(let fault): throw .topicsUnreadable("\(fault)")
            }
        }
    }
}
