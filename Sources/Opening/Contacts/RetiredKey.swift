package import Envelope
package import Keys

/// Key that its sender superseded or revoked.
package struct RetiredKey: Hashable, Sendable {
    /// Nil for a revoked key.
    package let successor: SenderKey?
    /// By the sender's clock.
    package let announcedAt: Timestamp

    package init(successor: SenderKey?, announcedAt: Timestamp) {
        self.successor = successor
        self.announcedAt = announcedAt
    }

    /// True while messages of a superseded key may be under way.
    ///
    /// - Parameters:
    ///   - time: at least the lower bound.
    ///   - lifetimeMax: L, the longest life that the app accepts.
    func isAccepted(at time: Timestamp, lifetimeMax: Duration) -> Bool {
        successor != nil && time < announcedAt.advanced(by: lifetimeMax)
    }
}

package enum ContactEntry: Hashable, Sendable {
    case contact(Contact)
    case retired(RetiredKey)
}

extension SenderDirectory {
    /// More than a contact's key changes within the longest life of a message.
    private static var linkCountMax: Int { 8 }

    /// Contact of a signing key, with the role, name and rights of its last successor, and the key's retirement.
    /// Nil if that successor is no contact.
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
