import APNS
import Transport

/// Which app a client of the binary interface pushes to. Its notifications carry no topic: the certificate says it.
struct LegacyTopic: Equatable {
    /// The bundle id, or the status that every notification of the connection gets.
    let result: Result<Topic, Missing>

    struct Missing: Error, Equatable {
        let status: LegacyStatus
    }

    init(_ certificate: TLSCertificate?) {
        // `try?`: a certificate without claims may have the bundle id all the same, as the oldest have.
        let claims = certificate.flatMap { certificate in
            try? CertificateClaims(
                commonName: certificate.commonName,
                userID: certificate.userID,
                extensionValue: certificate.extensionValue(of:)
            )
        }
        let app = claims?.topics.first { $0.types.contains(CertificateTopicKind.app.rawValue) }
        self.init(userID: app?.name ?? certificate?.userID)
    }

    /// - Parameter userID: the UID of the certificate's subject, which is where Apple puts the bundle id.
    init(userID: String?) {
        guard let userID, !userID.isEmpty else {
            result = .failure(Missing(status: .missingTopic))
            return
        }
        do throws(APNSError) {
            result = .success(try Topic(bundleID: userID))
        } catch {
            result = .failure(Missing(status: .invalidTopicSize))
        }
    }

    var topic: Topic? {
        if case .success(let topic) = result { topic } else { nil }
    }
}
