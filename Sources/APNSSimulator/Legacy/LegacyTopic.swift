import APNS
import Networking

/// App of a client's certificate; the notifications carry no topic.
struct LegacyTopic: Equatable {
    /// Bundle id, or the status for every notification of the connection.
    let result: Result<Topic, Missing>

    struct Missing: Error, Equatable {
        let status: LegacyStatus
    }

    init(_ certificate: TLSCertificate?) {
        // `try?`: the oldest certificates have no claims, but a bundle id.
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

    /// - Parameter userID: UID of the certificate's subject, where Apple puts the bundle id.
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
