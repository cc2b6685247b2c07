public import Keys

/// Effect of an announcement.
public enum SenderChange: Hashable, Sendable {
    /// The second key has the contact's place. Messages of the first are accepted while under way. The app has to set
    /// the new key's picture.
    case replaced(SenderKey, by: SenderKey)
    /// Key no longer a contact's.
    case revoked(SenderKey)
    /// Already known, or its sender is no contact.
    case unchanged
}

extension ContactList {
    /// Those of the oldest announcements are forgotten first.
    static let retiredCountMax = 512

    /// Applies a verified announcement. Only the app can add a retired key again.
    ///
    /// - Throws: `.givenUp`, `.otherSuccessor`; nothing changed then.
    package mutating func take(_ announcement: SenderAnnouncement) throws(SenderAnnouncementError) -> SenderChange {
        let sender = announcement.sender
        let retired = retiredKeys[sender]
        guard retired != nil || contact(for: sender) != nil else { return .unchanged }
        guard let successor = announcement.successor else {
            // Repeated revocations change nothing.
            if let retired, retired.successor == nil { return .unchanged }
            remove(sender)
            retire(sender, RetiredKey(successor: nil, announcedAt: announcement.announcedAt))
            return .revoked(sender)
        }
        if let retired {
            guard let known = retired.successor else { throw .givenUp }
            guard known == successor else { throw .otherSuccessor }
            return .unchanged
        }
        guard retiredKeys[successor] == nil else { throw .givenUp }
        guard let contact = remove(sender) else { return .unchanged }
        retire(sender, RetiredKey(successor: successor, announcedAt: announcement.announcedAt))
        // An existing contact keeps its own role, name and rights.
        if self.contact(for: successor) == nil { put(contact.under(successor)) }
        return .replaced(sender, by: successor)
    }

    /// Keeps announcements when the app writes its list, except for its contacts.
    package mutating func keepRetired(of older: ContactList) {
        for (key, retired) in older.retiredKeys where contact(for: key) == nil { retire(key, retired) }
    }
}
