/// Body's members (docs/protocol.md, section 6), in written order.
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

    /// Without Unicode equivalence.
    init?(name: String) {
        guard let member = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else { return nil }
        self = member
    }
}

/// Faulty member and its offset; devices only report malformed or unsupported.
struct MessageMemberError: Error, Equatable {
    enum Reason: Equatable {
        /// Unknown, but critical.
        case unsupported(MessageMember)
        case expected(String, MessageMember)
        case missing(MessageMember)
        /// Without its operation or partner member.
        case outOfPlace(MessageMember)
        case noText
        case attachment(AttachmentMember, String)
    }

    let reason: Reason
    let offset: Int
}
