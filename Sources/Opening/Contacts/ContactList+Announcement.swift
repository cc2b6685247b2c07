public import Keys

/// What an announcement changed.
public enum SenderChange: Hashable, Sendable {
    /// The second key has the contact's place now; the first one's messages are shown while any may be under way. A
    /// picture of the contact is to be set for the new key.
    case replaced(SenderKey, by: SenderKey)
    /// The key is no contact's any more.
    case revoked(SenderKey)
    /// It was known, or its sender is no contact.
    case unchanged
}

extension ContactList {
    /// Retired keys that are remembered. Of more, those of the oldest announcements are forgotten.
    static let retiredCountMax = 512

    /// Takes an announcement that was verified.
    ///
    /// A key that was given up is remembered as such, so that no announcement, older or newer, makes it a contact again.
    /// Only the app does, which adds it.
    ///
    /// - Throws: `.givenUp`, `.otherSuccessor`; nothing changed then.
    package mutating func take(_ announcement: SenderAnnouncement) throws(SenderAnnouncementError) -> SenderChange {
        let sender = announcement.sender
        let retired = retiredKeys[sender]
        guard retired != nil || contact(for: sender) != nil else { return .unchanged }
        guard let successor = announcement.successor else {
            // The first word counts, or a second revocation would be news.
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
        // One whom the app has as a contact already keeps what the app gave it.
        if self.contact(for: successor) == nil { put(contact.under(successor)) }
        return .replaced(sender, by: successor)
    }

    /// What was announced stays when the app writes a list of its own, but for keys that are contacts there: the app's word
    /// is above all.
    package mutating func keepRetired(of older: ContactList) {
        for (key, retired) in older.retiredKeys where contact(for: key) == nil { retire(key, retired) }
    }
}
