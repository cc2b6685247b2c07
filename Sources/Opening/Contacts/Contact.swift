public import Keys

/// A sender that the app pinned, and what it may do. A signature says who; this says what for (protocol v1, rules 22, 29
/// and 30).
public struct Contact: Hashable, Sendable {
    /// Whose word a message is.
    public enum Role: Hashable, Sendable, CaseIterable {
        /// One person's own key. What is shown as the sender's name comes from this list, never from a message.
        case person
        /// A back end that speaks for many. "The back end said so" is all that its signature proves, so it may say
        /// whom a message is from, and set the badge.
        case service
    }

    /// Bytes of UTF-8 in a name.
    public static let nameByteCountMax = 128

    /// SK: pinned through the app's own channel.
    public let key: SenderKey
    /// Whose word a message is.
    public let role: Role
    /// What the app calls this sender; nil for no name.
    public let name: String?
    /// None, unless the app gave it.
    public let rights: ContactRights

    /// - Parameters:
    ///   - key: pinned through the app's own channel. A changed key is a new contact.
    ///   - role: a person's key by default, which may do less.
    ///   - name: 1 to 128 bytes of UTF-8 without control characters, and no space at either end; nil for none. What turns,
    ///     hides or stacks in it is taken out, as from a text that is shown.
    ///   - rights: nothing by default.
    /// - Throws: `.name`.
    public init(
        key: SenderKey,
        role: Role = .person,
        name: String? = nil,
        rights: ContactRights = []
    ) throws(ContactListError) {
        self.init(key: key, role: role, checkedName: try name.map(Self.cleaned), rights: rights)
    }

    /// A person without a name and without rights.
    package init(person key: SenderKey) { self.init(key: key, role: .person, checkedName: nil, rights: []) }

    /// The same under another key.
    func under(_ key: SenderKey) -> Contact { Contact(key: key, role: role, checkedName: name, rights: rights) }

    private init(key: SenderKey, role: Role, checkedName name: String?, rights: ContactRights) {
        self.key = key
        self.role = role
        self.name = name
        self.rights = rights
    }

    /// Whether a message may say whom it is from (protocol v1, rule 22).
    public var maySetSenderName: Bool { role == .service }

    /// Whether a message may set the number on the app's icon (protocol v1, rule 29).
    public var maySetBadge: Bool { role == .service }

    /// Whose name stands over a message.
    ///
    /// - Parameter claimed: what the message says; nil or empty for nothing.
    /// - Returns: a service's claim, or else the app's own name for the contact; nil where there is neither. A person's
    ///   claim is never believed: anybody can write "Bank" into a message.
    public func displayName(claimed: String?) -> String? {
        guard maySetSenderName, let claimed, !claimed.isEmpty else { return name }
        return claimed
    }

    /// Cleaned here, and not only where a notification shows it: the app shows its contacts in places of its own.
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

/// What a contact may do beyond having text shown. Each is a decision of the app about one contact; a signed message is
/// not yet a trusted one.
public struct ContactRights: OptionSet, Hashable, Sendable {
    /// One bit for each right.
    public let rawValue: UInt8

    /// Bits that are no right are dropped.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0b1111 }

    /// Rings: the opaque hand-off of an incoming call.
    public static let call = ContactRights(rawValue: 1 << 0)
    /// Sounds through silence and focus. iOS wants an entitlement of the app besides.
    public static let critical = ContactRights(rawValue: 1 << 1)
    /// Breaks through a focus that allows it.
    public static let timeSensitive = ContactRights(rawValue: 1 << 2)
    /// Leads somewhere in the app when tapped: the target content id, and link-like fields.
    public static let links = ContactRights(rawValue: 1 << 3)
}
