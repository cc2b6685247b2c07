import Envelope

/// Members of an `aps` dictionary without values, for rules on built and on raw JSON.
struct APSOutline: Sendable, Equatable {
    var hasAlert = false
    var hasBadge = false
    var hasSound = false
    var isContentAvailable = false
    var isMutableContent = false

    init(_ aps: APS) {
        hasAlert = aps.alert != nil
        hasBadge = aps.badge != nil
        hasSound = aps.sound != nil
        isContentAvailable = aps.contentAvailable
        isMutableContent = aps.mutableContent
    }

    /// - Parameter aps: counts as empty unless an object.
    init(_ aps: JSONValue) {
        hasAlert = aps["alert"] != nil
        hasBadge = aps["badge"] != nil
        hasSound = aps["sound"] != nil
        isContentAvailable = aps["content-available"]?.content == .integer(1)
        isMutableContent = aps["mutable-content"]?.content == .integer(1)
    }

    /// - Throws: `.nothingToShow`, `.missing`, `.outOfPlace`.
    func check(for pushType: PushType) throws(PayloadError) {
        switch pushType {
        case .alert:
            guard hasAlert || hasBadge || hasSound else { throw .nothingToShow }
            // The service extension runs for a visible alert only.
            if isMutableContent, !hasAlert { throw .missing(.alert, for: .alert) }
        case .background:
            guard isContentAvailable else { throw .missing(.contentAvailable, for: .background) }
            if hasAlert { throw .outOfPlace(.alert, for: .background) }
            if hasBadge { throw .outOfPlace(.badge, for: .background) }
            if hasSound { throw .outOfPlace(.sound, for: .background) }
        default: break
        }
    }
}
