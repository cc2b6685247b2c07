package import Envelope
package import Keys

/// A sender's key that is a contact's no more, by its own word.
package struct RetiredKey: Hashable, Sendable {
    /// The key in its place; nil for one that was revoked.
    package let successor: SenderKey?
    /// By the sender's clock.
    package let announcedAt: Timestamp

    package init(successor: SenderKey?, announcedAt: Timestamp) {
        self.successor = successor
        self.announcedAt = announcedAt
    }

    /// Whether what it signed may still be under way.
    ///
    /// - Parameters:
    ///   - time: of the device, and not before what has certainly passed.
    ///   - lifetimeMax: L, the longest life that the app accepts.
    /// - Returns: false for a revoked key.
    func isAccepted(at time: Timestamp, lifetimeMax: Duration) -> Bool {
        successor != nil && time < announcedAt.advanced(by: lifetimeMax)
    }
}

/// What a device knows of one sender's key.
package enum ContactEntry: Hashable, Sendable {
    case contact(Contact)
    case retired(RetiredKey)
}

extension SenderDirectory {
    /// More links than a contact has changed keys within the longest life of a message.
    private static var linkCountMax: Int { 8 }

    /// The contact whose word a message is, for the key that signed it.
    ///
    /// - Returns: the contact under this key, with the role, name and rights of who has its place now; and, where that is
    ///   another key, how this one was given up. Nil for nobody: also where the last successor is no contact any more.
    func sender(_ key: SenderKey) throws(ContactListError) -> (contact: Contact, retired: RetiredKey?)? {
        guard let entry = try entry(for: key) else { return nil }
        guard case .retired(let own) = entry else { return entry.contact.map { ($0, nil) } }
        var link = own
        for _ in 0..<Self.linkCountMax {
            guard let successor = link.successor, let entry = try self.entry(for: successor) else { return nil }
            switch entry {
            case .contact(let contact): return (contact.under(key), own)
            case .retired(let next): link = next
            }
        }
        return nil
    }
}

extension ContactEntry {
    var contact: Contact? {
        if case .contact(let contact) = self { contact } else { nil }
    }
}
