public import Keys

/// The senders whose messages are shown. The app writes it for its extension.
public struct ContactList: Hashable, Sendable {
    /// The greatest number of contacts.
    public static let contactCountMax = 4_096

    /// Policy for well-signed messages of unknown senders.
    public var unknownSenders: UnknownSenderPolicy

    private var contactsByKey: [SenderKey: Contact] = [:]
    /// Keys retired by announcements, none of them a contact's.
    package private(set) var retiredKeys: [SenderKey: RetiredKey] = [:]

    /// Creates an empty list.
    public init(unknownSenders: UnknownSenderPolicy = .placeholder) { self.unknownSenders = unknownSenders }

    package init(people keys: some Sequence<SenderKey>) {
        self.init()
        for key in keys { contactsByKey[key] = Contact(person: key) }
        precondition(contactsByKey.count <= Self.contactCountMax)
    }

    /// Contacts.
    public var count: Int { contactsByKey.count }

    /// All contacts, sorted by the text of their keys.
    public var contacts: [Contact] { contactsByKey.values.sorted { $0.key.text < $1.key.text } }

    /// Contact with this key. Names are not unique.
    public func contact(for key: SenderKey) -> Contact? { contactsByKey[key] }

    /// Adds a contact, also under a retired key.
    ///
    /// - Throws: `.present` for an existing key (use `update`); `.full`.
    public mutating func add(_ contact: Contact) throws(ContactListError) {
        guard contactsByKey[contact.key] == nil else { throw .present }
        guard count < Self.contactCountMax else { throw .full(contactCountMax: Self.contactCountMax) }
        put(contact)
    }

    /// Changes role, name or rights. A new key is a new contact.
    ///
    /// - Throws: `.absent`.
    public mutating func update(_ contact: Contact) throws(ContactListError) {
        guard contactsByKey[contact.key] != nil else { throw .absent }
        contactsByKey[contact.key] = contact
    }

    /// Makes the key an unknown sender's.
    @discardableResult
    public mutating func remove(_ key: SenderKey) -> Contact? { contactsByKey.removeValue(forKey: key) }

    mutating func put(_ contact: Contact) {
        retiredKeys[contact.key] = nil
        contactsByKey[contact.key] = contact
    }

    package mutating func retire(_ key: SenderKey, _ retired: RetiredKey) {
        retiredKeys[key] = retired
        guard retiredKeys.count > Self.retiredCountMax else { return }
        let oldest = retiredKeys.min { ($0.value.announcedAt, $0.key.text) < ($1.value.announcedAt, $1.key.text) }
        if let oldest { retiredKeys[oldest.key] = nil }
    }

    package func entry(for key: SenderKey) -> ContactEntry? {
        contactsByKey[key].map { .contact($0) } ?? retiredKeys[key].map { .retired($0) }
    }
}

/// Treatment of well-signed messages from unknown senders, whose text is never shown.
public enum UnknownSenderPolicy: Hashable, Sendable, CaseIterable {
    /// Shows the app's placeholder; the outcome has the key for a contact request.
    case placeholder
    /// Treated as malformed: strangers cannot request contact.
    case refuse
}

/// Errors of a contact list.
public enum ContactListError: Error, Equatable {
    /// Not 1 to 128 bytes of UTF-8, with a control character, a space at an end, or invisible.
    case name
    /// A contact with this key exists.
    case present
    /// No contact has this key.
    case absent
    /// Full list.
    case full(contactCountMax: Int)
    /// There is no file.
    case notFound
    /// No contact list, or too large. Nothing of it was used.
    case malformed
    /// Failed system call.
    case system(call: String, code: Int32)
}
