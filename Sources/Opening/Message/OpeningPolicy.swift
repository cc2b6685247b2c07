package import Envelope

/// App's constants for opening messages.
public struct OpeningPolicy: Sendable {
    /// 30 days, the longest that Apple keeps a push.
    public static let lifetimeCap: Duration = .seconds(30 * 86_400)

    /// Names that the app knows. Any other name in a message is ignored, signed or not.
    public struct AllowedNames: Hashable, Sendable {
        /// Notification categories.
        public var categories: Set<String>
        /// Sound files of the app; `default` is the system sound.
        public var sounds: Set<String>
        /// Members of the user info.
        public var userInfo: Set<String>

        /// Allows only the given names.
        public init(categories: Set<String> = [], sounds: Set<String> = [], userInfo: Set<String> = []) {
            self.categories = categories
            self.sounds = sounds
            self.userInfo = userInfo
        }
    }

    /// L: the longest life of a message, from sent-at to expires-at. 7 days by default, at most 30.
    public let lifetimeMax: Duration
    /// Names for contacts that are people.
    public var person: AllowedNames
    /// Names for contacts that are services.
    public var service: AllowedNames
    /// Roles whose attachments the app gets; all by default. Fetching tells the host when this device has the message.
    public var attachmentRoles = Set(Contact.Role.allCases)
    package var buildDate = Self.buildDate

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - lifetimeMax: more than zero, at most 30 days; also bounds the memory of removed messages and the life of
    ///     superseded prekeys.
    ///   - person: names for contacts that are people.
    ///   - service: names for contacts that are services.
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
