public import Keys

/// Pinned sender and its rights (protocol v1, rules 22, 29 and 30).
public struct Contact: Hashable, Sendable {
    /// Kind of sender behind a key.
    public enum Role: Hashable, Sendable, CaseIterable {
        /// One person's key. The displayed name comes from this list only.
        case person
        /// A back end that sends for many: it may name a message's sender and set the badge.
        case service
    }

    /// The longest name, in bytes of UTF-8.
    public static let nameByteCountMax = 128

    /// SK, pinned through the app's own channel.
    public let key: SenderKey
    /// Kind of sender.
    public let role: Role
    /// The app's name for the sender.
    public let name: String?
    /// Granted rights; empty by default.
    public let rights: ContactRights

    /// Creates a contact.
    ///
    /// - Parameters:
    ///   - key: pinned through the app's own channel. A changed key is a new contact.
    ///   - role: chooses the names that its messages may use (`OpeningPolicy`).
    ///   - name: 1 to 128 bytes of UTF-8 without control characters or a space at either end. Scalars unsafe to display
    ///     are removed.
    ///   - rights: none by default.
    /// - Throws: `.name`.
    public init(
        key: SenderKey,
        role: Role = .person,
        name: String? = nil,
        rights: ContactRights = []
    ) throws(ContactListError) {
        self.init(key: key, role: role, checkedName: try name.map(Self.cleaned), rights: rights)
    }

    package init(person key: SenderKey) { self.init(key: key, role: .person, checkedName: nil, rights: []) }

    func under(_ key: SenderKey) -> Contact { Contact(key: key, role: role, checkedName: name, rights: rights) }

    private init(key: SenderKey, role: Role, checkedName name: String?, rights: ContactRights) {
        self.key = key
        self.role = role
        self.name = name
        self.rights = rights
    }

    /// Messages may name their sender (protocol v1, rule 22).
    public var maySetSenderName: Bool { role == .service }

    /// Messages may set the app's badge (protocol v1, rule 29).
    public var maySetBadge: Bool { role == .service }

    /// Name to display: a service's claim, else the app's own name; never a person's claim: anyone can write "Bank".
    public func displayName(claimed: String?) -> String? {
        guard maySetSenderName, let claimed, !claimed.isEmpty else { return name }
        return claimed
    }

    /// Apps show contacts outside notifications too.
    private static func cleaned(_ name: String) throws(ContactListError) -> String {
        guard isName(name) else { throw .name }
        let shown = DisplayText.safe(name, in: .name)
        guard let last = shown.lastIndex(where: { $0 != " " }) else { throw .name }
        return String(shown[...last])
    }

    private static func isName(_ name: String) -> Bool {
        guard !name.isEmpty, name.utf8.count <= nameByteCountMax else { return false }
        let scalars = name.unicodeScalars
        let isClean = scalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        return isClean && scalars.first != " " && scalars.last != " "
    }
}

/// Rights beyond having text shown, granted by the app.
public struct ContactRights: OptionSet, Hashable, Sendable {
    /// One bit for each right.
    public let rawValue: UInt8

    /// Drops bits without a right.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0b1111 }

    /// Rings: hands an opaque call to the app.
    public static let call = ContactRights(rawValue: 1 << 0)
    /// Sounds through silence and focus; iOS also requires an entitlement.
    public static let critical = ContactRights(rawValue: 1 << 1)
    /// Breaks through a focus that allows it.
    public static let timeSensitive = ContactRights(rawValue: 1 << 2)
    /// Opens a place in the app: the target content id, and link-like fields.
    public static let links = ContactRights(rawValue: 1 << 3)
}
