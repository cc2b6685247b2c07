// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Text that can be spoken.
///
/// - Source: https://developer.apple.com/documentation/intents/inspeakablestring
open class INSpeakableString: NSObject, NSCopying {
    public let vocabularyIdentifier: String?
    public let spokenPhrase: String
    public let pronunciationHint: String?

    public convenience init(spokenPhrase: String) {
        self.init(vocabularyIdentifier: "", spokenPhrase: spokenPhrase, pronunciationHint: nil)
    }

    public init(vocabularyIdentifier: String, spokenPhrase: String, pronunciationHint: String?) {
        self.vocabularyIdentifier = vocabularyIdentifier
        self.spokenPhrase = spokenPhrase
        self.pronunciationHint = pronunciationHint
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? INSpeakableString else { return false }
        return other.vocabularyIdentifier == vocabularyIdentifier && other.spokenPhrase == spokenPhrase
    }

    open override var hash: Int { spokenPhrase.hashValue }
}
