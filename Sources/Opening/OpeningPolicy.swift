package import Envelope

/// An app's constants for opening: how long a message may live, and what its senders may ask for.
public struct OpeningPolicy: Sendable {
    /// Apple keeps a push for 30 days at most.
    public static let lifetimeCap: Duration = .seconds(30 * 86_400)

    /// Names that the app knows. Whatever a message names beside them is ignored, signed or not.
    public struct AllowedNames: Hashable, Sendable {
        /// Notification categories.
        public var categories: Set<String>
        /// Sound files of the app; `default` stands for the system's own.
        public var sounds: Set<String>
        /// Members of the user info.
        public var userInfo: Set<String>

        /// Nothing is allowed unless it is named.
        public init(categories: Set<String> = [], sounds: Set<String> = [], userInfo: Set<String> = []) {
            self.categories = categories
            self.sounds = sounds
            self.userInfo = userInfo
        }
    }

    /// L: the longest life of a message, from sent-at to expires-at. 7 days, at most 30.
    public let lifetimeMax: Duration
    /// For people among the contacts.
    public var person: AllowedNames
    /// For services among the contacts.
    public var service: AllowedNames
    /// Whose attachments the app gets; everybody's among the contacts, unless the app says otherwise. To fetch a file tells
    /// its host that this device has the message, and when.
    public var attachmentRoles = Set(Contact.Role.allCases)
    package var buildDate = Self.buildDate

    /// - Parameters:
    ///   - lifetimeMax: more than zero, at most 30 days. It also says how long a removed message is remembered, and how
    ///     long a superseded prekey is kept.
    ///   - person: what a person may name.
    ///   - service: what a service may name.
    public init(
        lifetimeMax: Duration = .seconds(7 * 86_400),
        person: AllowedNames = AllowedNames(),
        service: AllowedNames = AllowedNames()
    ) {
        precondition(lifetimeMax > .zero && lifetimeMax <= Self.lifetimeCap)
        self.lifetimeMax = lifetimeMax
        self.person = person
        self.service = service
    }

    func allowedNames(for role: Contact.Role) -> AllowedNames {
        switch role {
        case .person: person
        case .service: service
        }
    }
}
