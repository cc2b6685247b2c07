/// Client certificate that a push type requires. A provider token carries every type but `mdm`.
///
/// - Source: "Establishing a certificate-based connection to APNs"; "Sending notification requests to APNs", the notes
///   on each push type.
public enum CertificateCoverage: Sendable, Equatable {
    /// Topic list (extension 1.2.840.113635.100.6.3.6) with the topic in this kind.
    case topicKind(CertificateTopicKind)
    /// List with this very topic; usual certificates lack it.
    case listedTopic
    /// Certificate of a device management service, with the topic as subject UID.
    case managementCertificate
    /// None suffices: APNs answers TopicDisallowed.
    case none
}

/// Kind of a topic in a certificate's list.
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

    /// True if only provider tokens carry the type.
    public var needsTokenAuthentication: Bool { certificateCoverage == .none }

    /// True if only client certificates carry the type.
    public var needsCertificate: Bool { certificateCoverage == .managementCertificate }
}
