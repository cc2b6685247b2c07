/// What a client certificate needs in order to carry a push type. A provider token carries every type but `mdm`.
///
/// - Source: "Establishing a certificate-based connection to APNs"; "Sending notification requests to APNs", the notes on
///   each push type.
public enum CertificateCoverage: Sendable, Equatable {
    /// The certificate's list of topics (extension 1.2.840.113635.100.6.3.6) has the topic with this kind.
    case topicKind(CertificateTopicKind)
    /// The list has this very topic; the usual certificate does not.
    case listedTopic
    /// The certificate is that of a device management service, and its subject's UID is the topic.
    case managementCertificate
    /// No certificate does: APNs answers TopicDisallowed.
    case none
}

/// The kinds of topic in a certificate's list, as they are spelled there.
public enum CertificateTopicKind: String, Sendable, CaseIterable {
    case app
    case voip
    case complication
}

extension PushType {
    /// What a client certificate needs in order to carry this type.
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

    /// Whether only a connection with a provider token carries it.
    public var needsTokenAuthentication: Bool { certificateCoverage == .none }

    /// Whether only a connection with a client certificate carries it.
    public var needsCertificate: Bool { certificateCoverage == .managementCertificate }
}
