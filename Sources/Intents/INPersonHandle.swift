// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Way to reach a person.
///
/// - Source: https://developer.apple.com/documentation/intents/inpersonhandle
open class INPersonHandle: NSObject, NSCopying {
    public let value: String?
    public let type: INPersonHandleType
    public let label: INPersonHandleLabel?

    public convenience init(value: String?, type: INPersonHandleType) {
        self.init(value: value, type: type, label: nil)
    }

    public init(value: String?, type: INPersonHandleType, label: INPersonHandleLabel?) {
        self.value = value
        self.type = type
        self.label = label
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Kind of a handle's value, with Apple's values.
///
/// - Source: https://developer.apple.com/documentation/intents/inpersonhandletype
public enum INPersonHandleType: Int, Sendable {
    case unknown
    case emailAddress
    case phoneNumber
}

/// Label of a handle.
///
/// - Source: https://developer.apple.com/documentation/intents/inpersonhandlelabel
public struct INPersonHandleLabel: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}
