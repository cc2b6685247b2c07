// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Request to an app, the base class of intents.
///
/// - Source: https://developer.apple.com/documentation/intents/inintent
open class INIntent: NSObject, NSCopying {
    private var images: [AnyKeyPath: INImage] = [:]

    open var identifier: String? { nil }

    open var donationMetadata: INIntentDonationMetadata?

    open func copy(with zone: NSZone? = nil) -> Any { self }

    final func setImage(_ image: INImage?, for path: AnyKeyPath) { images[path] = image }

    final func image(for path: AnyKeyPath) -> INImage? { images[path] }
}

/// Images of an intent's parameters, by key path.
public protocol _INIntentSetImageKeyPath: INIntent {}

extension INIntent: _INIntentSetImageKeyPath {}

extension _INIntentSetImageKeyPath {
    /// Sets the image of a parameter, such as a group's.
    ///
    /// - Source: https://developer.apple.com/documentation/intents/inintent/setimage(_:forparameternamed:)
    public func setImage<Value>(_ image: INImage?, forParameterNamed parameterName: KeyPath<Self, Value>) {
        setImage(image, for: parameterName)
    }

    public func image<Value>(forParameterNamed parameterName: KeyPath<Self, Value>) -> INImage? {
        image(for: parameterName)
    }
}

/// More about a donated intent, the base class.
///
/// - Source: https://developer.apple.com/documentation/intents/inintentdonationmetadata
open class INIntentDonationMetadata: NSObject, NSCopying {
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// App's answer to an intent.
///
/// - Source: https://developer.apple.com/documentation/intents/inintentresponse
open class INIntentResponse: NSObject, NSCopying {
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
