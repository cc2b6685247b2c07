/// A type of pushes.
///
/// - Source: https://developer.apple.com/documentation/pushkit/pkpushtype
public struct PKPushType: RawRepresentable, Hashable, Sendable {
    /// Apple's name of the type.
    public let rawValue: String

    /// - Parameter rawValue: Apple's name of the type.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Calls.
    public static let voIP = PKPushType(rawValue: "PKPushTypeVoIP")
}

/// A push as it came. Only the system makes one.
///
/// - Source: https://developer.apple.com/documentation/pushkit/pkpushpayload
open class PKPushPayload: NSObject {
    /// Of the push.
    public let type: PKPushType

    /// The whole payload, `aps` included.
    public let dictionaryPayload: [AnyHashable: Any]

    package init(type: PKPushType, dictionaryPayload: [AnyHashable: Any]) {
        self.type = type
        self.dictionaryPayload = dictionaryPayload
    }
}

/// The token that pushes of a type go to. Only the system makes one.
///
/// - Source: https://developer.apple.com/documentation/pushkit/pkpushcredentials
open class PKPushCredentials: NSObject {
    /// Of the pushes.
    public let type: PKPushType

    /// For APNs, which knows it in hexadecimal.
    public let token: Data

    package init(type: PKPushType, token: Data) {
        self.type = type
        self.token = token
    }
}
