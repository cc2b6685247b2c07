import Envelope

/// Reduces a message to its sender's rights (docs/protocol.md, section 12; protocol v1, rules 22, 29 and 30).
struct RightsFilter {
    let contact: Contact
    let names: OpeningPolicy.AllowedNames
    let allowsAttachments: Bool

    /// Operations are refused as a whole, never weakened into another.
    func permits(_ operation: Message.Operation) -> Bool {
        switch operation {
        case .show, .replace, .remove, .test: true
        case .badge: contact.maySetBadge
        case .call: contact.rights.contains(.call)
        }
    }

    func apply(to message: inout Message) {
        if contact.role != .service {
            message.badge = nil
            message.senderName = ""
        }
        switch message.level {
        case .timeSensitive where !contact.rights.contains(.timeSensitive): message.level = .active
        case .critical where !contact.rights.contains(.critical): message.level = .active
        default: break
        }
        if !contact.rights.contains(.critical) { message.sound?.volume = nil }
        if !contact.rights.contains(.links) { message.targetContentID = "" }
        if !names.categories.contains(message.category) { message.category = "" }
        if let sound = message.sound, !names.sounds.contains(sound.name) { message.sound = nil }
        if !allowsAttachments { message.attachments = [] }
        message.userInfo = message.userInfo.filter { names.userInfo.contains($0.key) }
    }
}
