import TestCertificates

@testable import APNSProvider

extension TestAuthority.Identity {
    func loaded(password: String = "") throws -> ClientCertificate {
        let password = Array(password.utf8)
        return try unsafe ClientCertificate(
            certificateChainPEM: certificatePEM.span.bytes,
            privateKeyPEM: privateKeyPEM.span.bytes,
            password: password.span.bytes
        )
    }
}
