/// Client certificate that a push type requires. A provider token carries every type but `mdm`.
///
/// - Source: "Establishing a certificate-based connection to APNs"; "Sending notification requests to APNs", the notes
///   on each push type.
public enum CertificateCoverage: Sendable, Equatable {
    /// One whose topic list (extension 1.2.840.113635.100.6.3.6) has the topic with this kind.
    case topicKind(CertificateTopicKind)
    /// One whose list has this very topic; usual certificates do not.
    case listedTopic
    /// One of a device management service, whose subject's UID is the topic.
    case managementCertificate
    /// No certificate suffices: APNs answers TopicDisallowed.
    case none
}

/// Kind of a topic in a certificate's list, in its spelling.
public enum CertificateTopicKind: String, Sendable, CaseIterable {
    case app
    case voip
    case complication
}

extension PushType {
    /// Client certificate that this type requires.
    public var certificateCoverage: CertificateCoverage {
        switch self {
        case .alert, .background: .topicKind(.app)
        case .complication: .topicKind(.complication)
        case .voip: .topicKind(.voip)
        case .controls, .fileprovider, .pushtotalk, .widgets: .listedTopic
        case .liveactivity, .location: .none
        case .mdm: .managementCertificate
        }
    }

    /// True if the type needs a connection with a provider token.
    public var needsTokenAuthentication: Bool { certificateCoverage == .none }

    /// True if the type needs a connection with a client certificate.
    public var needsCertificate: Bool { certificateCoverage == .managementCertificate }
}
