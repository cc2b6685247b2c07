import APNS
import Transport

/// What an APNs certificate says that its owner may do.
///
/// - Source: "Establishing a certificate-based connection to APNs", for the extensions; the names are those that Apple
///   gave to certificates before it wrote extensions into them.
struct CertificateClaims {
    let environments: Set<ClientCertificate.Environment>
    let topics: [ClientCertificate.Topic]

    private static let sandboxExtension = "1.2.840.113635.100.6.3.1"
    private static let productionExtension = "1.2.840.113635.100.6.3.2"
    private static let voIPTopicsExtension = "1.2.840.113635.100.6.3.4"
    private static let topicsExtension = "1.2.840.113635.100.6.3.6"

    /// - Throws: `.notForAPNs`, `.topicsUnreadable`.
    init(_ certificate: TLSCertificate) throws(ClientCertificateError) {
        var environments: Set<ClientCertificate.Environment> = []
        if certificate.extensionValue(of: Self.sandboxExtension) != nil { environments.insert(.sandbox) }
        if certificate.extensionValue(of: Self.productionExtension) != nil { environments.insert(.production) }
        if environments.isEmpty, let name = certificate.commonName { environments = Self.environments(named: name) }
        guard !environments.isEmpty else { throw .notForAPNs }
        self.environments = environments
        topics = try Self.topics(certificate)
    }

    private static func environments(named name: String) -> Set<ClientCertificate.Environment> {
        for platform in ["IOS", "Mac"] {
            if name.hasPrefix("Apple Production \(platform) Push Services: ") { return [.production] }
            if name.hasPrefix("Apple Development \(platform) Push Services: ") { return [.sandbox] }
        }
        return name.hasPrefix("Apple Push Services: ") ? [.production, .sandbox] : []
    }

    private static func topics(
        _ certificate: TLSCertificate
    ) throws(ClientCertificateError) -> [ClientCertificate.Topic] {
        // The full list first: the other one repeats a part of it.
        for identifier in [topicsExtension, voIPTopicsExtension] {
            guard let value = certificate.extensionValue(of: identifier) else { continue }
            do throws(CertificateTopics.Fault) {
                return try CertificateTopics.read(value)
            } catch {
                throw .topicsUnreadable("\(error)")
            }
        }
        guard let userID = certificate.userID, !userID.isEmpty else { return [] }
        // An MDM server's topic is no app's.
        let type = userID.hasPrefix("com.apple.mgmt.") ? "mdm" : "app"
        return [ClientCertificate.Topic(name: userID, types: [type])]
    }
}
