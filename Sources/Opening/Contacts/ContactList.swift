public import Keys

/// The senders whose messages are shown, and what becomes of everybody else's. The app keeps it and writes it where its
/// extension reads it.
public struct ContactList: Hashable, Sendable {
    /// More than fit the extension's memory beside everything else.
    public static let contactCountMax = 4_096

    /// What becomes of well-signed messages of senders that are not here.
    public var unknownSenders: UnknownSenderPolicy

    private var contactsByKey: [SenderKey: Contact] = [:]
    /// Keys that were given up by announcements. None of them is a contact's.
    package private(set) var retiredKeys: [SenderKey: RetiredKey] = [:]

    /// Nobody.
    public init(unknownSenders: UnknownSenderPolicy = .placeholder) { self.unknownSenders = unknownSenders }

    /// People without names and without rights; one named twice counts once.
    package init(people keys: some Sequence<SenderKey>) {
        self.init()
        for key in keys { contactsByKey[key] = Contact(person: key) }
        precondition(contactsByKey.count <= Self.contactCountMax)
    }

    /// How many there are.
    public var count: Int { contactsByKey.count }

    /// All of them, in the order of their keys' text.
    public var contacts: [Contact] { contactsByKey.values.sorted { $0.key.text < $1.key.text } }

    /// The contact with exactly this key. There is no look-up by name: two contacts may have one.
    public func contact(for key: SenderKey) -> Contact? { contactsByKey[key] }

    /// Adds somebody new, or somebody again whose key was given up.
    ///
    /// - Throws: `.present` for a key that is here: its rights are changed with `update`, knowingly; `.full`.
    public mutating func add(_ contact: Contact) throws(ContactListError) {
        guard contactsByKey[contact.key] == nil else { throw .present }
        guard count < Self.contactCountMax else { throw .full(contactCountMax: Self.contactCountMax) }
        put(contact)
    }

    /// Changes role, name or rights of somebody who is here. A key never changes: a new one is a new contact, whom a
    /// person accepts.
    ///
    /// - Throws: `.absent`.
    public mutating func update(_ contact: Contact) throws(ContactListError) {
        guard contactsByKey[contact.key] != nil else { throw .absent }
        contactsByKey[contact.key] = contact
    }

    /// From now on an unknown sender.
    ///
    /// - Returns: who was removed; nil for nobody.
    @discardableResult
    public mutating func remove(_ key: SenderKey) -> Contact? { contactsByKey.removeValue(forKey: key) }

    mutating func put(_ contact: Contact) {
        retiredKeys[contact.key] = nil
        contactsByKey[contact.key] = contact
    }

    /// Gives up a key that is no contact's.
    package mutating func retire(_ key: SenderKey, _ retired: RetiredKey) {
        retiredKeys[key] = retired
        guard retiredKeys.count > Self.retiredCountMax else { return }
        let oldest = retiredKeys.min { ($0.value.announcedAt, $0.key.text) < ($1.value.announcedAt, $1.key.text) }
        if let oldest { retiredKeys[oldest.key] = nil }
    }

    /// What is known of a key.
    package func entry(for key: SenderKey) -> ContactEntry? {
        contactsByKey[key].map { .contact($0) } ?? retiredKeys[key].map { .retired($0) }
    }
}

/// What becomes of a well-signed message whose sender is not in the contact list. None of its words are ever shown.
public enum UnknownSenderPolicy: Hashable, Sendable, CaseIterable {
    /// The app's own words; the outcome carries the sender's key, so that the app can offer a contact request.
    case placeholder
    /// The same as for bytes that nobody signed: the key goes no further, and strangers make no requests.
    case refuse
}

/// Why a contact list cannot be what it was asked to be.
public enum ContactListError: Error, Equatable {
    /// Not 1 to 128 bytes of UTF-8, with a control character in it, with a space at an end, or nothing that can be seen.
    case name
    /// There is a contact with this key.
    case present
    /// There is no contact with this key.
    case absent
    /// As many as may be.
    case full(contactCountMax: Int)
    /// There is no file.
    case notFound
    /// The file is no contact list, or too large for one. Nothing of it was used.
    case malformed
    /// A call of the system failed.
    case system(call: String, code: Int32)
}
