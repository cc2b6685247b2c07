/// Environments and topics that an APNs certificate allows.
///
/// - Source: "Establishing a certificate-based connection to APNs", for the extensions; the names are those of Apple's
///   certificates from before the extensions.
package struct CertificateClaims: Equatable, Sendable {
    package let environments: Set<APNSEnvironment>
    /// In the certificate's order. Older certificates list none; the topic is then the subject's UID.
    package let topics: [CertificateTopic]

    private static let sandboxExtension = "1.2.840.113635.100.6.3.1"
    private static let productionExtension = "1.2.840.113635.100.6.3.2"
    private static let voIPTopicsExtension = "1.2.840.113635.100.6.3.4"
    private static let topicsExtension = "1.2.840.113635.100.6.3.6"

    /// - Parameters:
    ///   - commonName: subject's CN.
    ///   - userID: subject's UID.
    ///   - extensionValue: returns an extension's value without its OCTET STRING, by object identifier.
    /// - Throws: `.notForAPNs`, `.topicsUnreadable`.
    package init(
        commonName: String?,
        userID: String?,
        extensionValue: (String) -> [UInt8]?
    ) throws(CertificateClaimsError) {
        var environments: Set<APNSEnvironment> = []
        if extensionValue(Self.sandboxExtension) != nil { environments.insert(.sandbox) }
        if extensionValue(Self.productionExtension) != nil { environments.insert(.production) }
        if environments.isEmpty, let commonName { environments = Self.environments(named: commonName) }
        guard !environments.isEmpty else { throw .notForAPNs }
        self.environments = environments
        topics = try Self.topics(userID, extensionValue)
    }

    private static func environments(named name: String) -> Set<APNSEnvironment> {
        for platform in ["IOS", "Mac"] {
            if name.hasPrefix("Apple Production \(platform) Push Services: ") { return [.production] }
            if name.hasPrefix("Apple Development \(platform) Push Services: ") { return [.sandbox] }
        }
        return name.hasPrefix("Apple Push Services: ") ? [.production, .sandbox] : []
    }

    private static func topics(
        _ userID: String?,
        _ extensionValue: (String) -> [UInt8]?
    ) throws(CertificateClaimsError) -> [CertificateTopic] {
        // The full list first; the other repeats a part of it.
        for identifier in [topicsExtension, voIPTopicsExtension] {
            guard let value = extensionValue(identifier) else { continue }
            do throws(CertificateTopicsError) {
                return try CertificateTopics.read(value)
            } catch {
                throw .topicsUnreadable(error)
            }
        }
        guard let userID, !userID.isEmpty else { return [] }
        // An MDM server's topic is not an app's.
        let type = userID.hasPrefix("com.apple.mgmt.") ? "mdm" : "app"
        return [CertificateTopic(name: userID, types: [type])]
    }

    package func listed(_ topic: Topic) -> CertificateTopic? {
        topics.first { $0.name.utf8.elementsEqual(topic.bytes) }
    }

    /// True if APNs accepts `pushType` on `topic` from this certificate. Others get TopicDisallowed; too many cost the
    /// connection.
    package func allows(_ topic: Topic, _ pushType: PushType) -> Bool {
        guard topic.hasSuffix(of: pushType), let listed = listed(topic) else { return false }
        switch pushType.certificateCoverage {
        case .topicKind(let kind): return listed.types.contains(kind.rawValue)
        case .managementCertificate: return listed.types.contains("mdm")
        case .listedTopic: return true
        case .none: return false
        }
    }
}

/// Names the position of an error, never the content.
package enum CertificateClaimsError: Error, Equatable, Sendable {
    /// Neither an extension nor the name is one for APNs.
    case notForAPNs
    case topicsUnreadable(CertificateTopicsError)
}
