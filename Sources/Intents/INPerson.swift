// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Person, such as a message's sender.
///
/// - Source: https://developer.apple.com/documentation/intents/inperson
open class INPerson: NSObject, NSCopying {
    public let personHandle: INPersonHandle?
    public let nameComponents: PersonNameComponents?
    public let displayName: String
    public let image: INImage?
    public let contactIdentifier: String?
    public let customIdentifier: String?
    public let isMe: Bool
    public let suggestionType: INPersonSuggestionType

    public convenience init(
        personHandle: INPersonHandle,
        nameComponents: PersonNameComponents?,
        displayName: String?,
        image: INImage?,
        contactIdentifier: String?,
        customIdentifier: String?
    ) {
        self.init(
            personHandle: personHandle,
            nameComponents: nameComponents,
            displayName: displayName,
            image: image,
            contactIdentifier: contactIdentifier,
            customIdentifier: customIdentifier,
            isMe: false,
            suggestionType: .none
        )
    }

    public convenience init(
        personHandle: INPersonHandle,
        nameComponents: PersonNameComponents?,
        displayName: String?,
        image: INImage?,
        contactIdentifier: String?,
        customIdentifier: String?,
        isMe: Bool
    ) {
        self.init(
            personHandle: personHandle,
            nameComponents: nameComponents,
            displayName: displayName,
            image: image,
            contactIdentifier: contactIdentifier,
            customIdentifier: customIdentifier,
            isMe: isMe,
            suggestionType: .none
        )
    }

    public init(
        personHandle: INPersonHandle,
        nameComponents: PersonNameComponents?,
        displayName: String?,
        image: INImage?,
        contactIdentifier: String?,
        customIdentifier: String?,
        isMe: Bool,
        suggestionType: INPersonSuggestionType
    ) {
        let parts = nameComponents.map { [$0.givenName, $0.familyName].compactMap(\.self).joined(separator: " ") }
        self.personHandle = personHandle
        self.nameComponents = nameComponents
        self.displayName = displayName ?? parts ?? personHandle.value ?? ""
        self.image = image
        self.contactIdentifier = contactIdentifier
        self.customIdentifier = customIdentifier
        self.isMe = isMe
        self.suggestionType = suggestionType
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Kind of suggestion of a person, with Apple's values.
///
/// - Source: https://developer.apple.com/documentation/intents/inpersonsuggestiontype
public enum INPersonSuggestionType: Int, Sendable {
    case none
    case socialProfile
    case instantMessageAddress
}
