/// The names of a body's members (docs/protocol.md, section 6), in the order they are written.
enum MessageMember: String, CaseIterable {
    case op, target, call, badge
    case title, subtitle, body
    case titleKey = "title-loc-key"
    case titleArguments = "title-loc-args"
    case subtitleKey = "subtitle-loc-key"
    case subtitleArguments = "subtitle-loc-args"
    case bodyKey = "loc-key"
    case bodyArguments = "loc-args"
    case threadID = "thread-id"
    case category, sound
    case soundVolume = "sound-volume"
    case level
    case relevanceScore = "relevance-score"
    case targetContentID = "target-content-id"
    case sender
    case userInfo = "user-info"
    case attachments, receipt, crit

    /// Compared byte by byte: Unicode's equivalences play no part in the protocol.
    init?(name: String) {
        guard let member = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else { return nil }
        self = member
    }
}

/// What is wrong with a member, and where. A tool tells a person; a device says no more than malformed or unsupported.
struct MessageFault: Error, Equatable {
    enum Reason: Equatable {
        /// Something from the future that must be understood.
        case unsupported(MessageMember)
        case expected(String, MessageMember)
        case missing(MessageMember)
        /// Only for certain operations, or only beside another member.
        case outOfPlace(MessageMember)
        case noText
        /// Inside one of the attachments.
        case attachment(AttachmentMember, String)
    }

    let reason: Reason
    let offset: Int
}
