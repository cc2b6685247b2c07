import APNS

/// Verified credential of a push, with its allowed topics.
enum Credential {
    case key(SigningKey)
    case certificate(CertificateClaims)

    /// Default topic of a push without one: that of a certificate with exactly one.
    ///
    /// - Source: "Sending notification requests to APNs", `apns-topic`.
    var onlyTopic: Topic? {
        guard case .certificate(let claims) = self, claims.topics.count == 1, let name = claims.topics.first?.name
        else {
            return nil
        }
        // `try?`: a certificate's name may be no valid topic; then there is no default.
        return try? Topic(name)
    }

    func allows(_ topic: Topic) -> Bool {
        switch self {
        case .key(let key): key.allows(topic)
        case .certificate(let claims): claims.listed(topic) != nil
        }
    }

    /// True for a bundle id, whatever its ending.
    func namesBundleID(_ topic: Topic) -> Bool {
        switch self {
        case .key(let key): key.bundleIDs?.contains(topic) ?? false
        case .certificate(let claims): claims.listed(topic)?.types.contains(CertificateTopicKind.app.rawValue) ?? false
        }
    }
}
