import APNS

/// Who a push is from, proven: what it may be sent to.
enum Credential {
    case key(SigningKey)
    case certificate(CertificateClaims)

    /// The topic of a push that names none: a certificate's, if it has exactly one.
    ///
    /// - Source: "Sending notification requests to APNs", `apns-topic`.
    var onlyTopic: Topic? {
        guard case .certificate(let claims) = self, claims.topics.count == 1, let name = claims.topics.first?.name
        else {
            return nil
        }
        // `try?`: a certificate may say what no topic can be, and then the push still has none.
        return try? Topic(name)
    }

    /// Whether any push may go to `topic`.
    func allows(_ topic: Topic) -> Bool {
        switch self {
        case .key(let key): key.allows(topic)
        case .certificate(let claims): claims.listed(topic) != nil
        }
    }

    /// Whether `topic`, whatever it ends in, is a bundle id that the credential names.
    func namesBundleID(_ topic: Topic) -> Bool {
        switch self {
        case .key(let key): key.bundleIDs?.contains(topic) ?? false
        case .certificate(let claims): claims.listed(topic)?.types.contains(CertificateTopicKind.app.rawValue) ?? false
        }
    }
}
