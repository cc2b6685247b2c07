/// Type of pushes.
///
/// - Source: https://developer.apple.com/documentation/pushkit/pkpushtype
public struct PKPushType: RawRepresentable, Hashable, Sendable {
    /// Apple's name of the type.
    public let rawValue: String

    /// Creates a type from Apple's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// VoIP calls.
    public static let voIP = PKPushType(rawValue: "PKPushTypeVoIP")
}

/// Received push. Only the system makes one.
///
/// - Source: https://developer.apple.com/documentation/pushkit/pkpushpayload
open class PKPushPayload: NSObject {
    /// Push's type.
    public let type: PKPushType

    /// Whole payload, `aps` included.
    public let dictionaryPayload: [AnyHashable: Any]

    package init(type: PKPushType, dictionaryPayload: [AnyHashable: Any]) {
        self.type = type
        self.dictionaryPayload = dictionaryPayload
    }
}

/// The token for pushes of one type. Only the system makes one.
///
/// - Source: https://developer.apple.com/documentation/pushkit/pkpushcredentials
open class PKPushCredentials: NSObject {
    /// Type of pushes.
    public let type: PKPushType

    /// Token's bytes; APNs takes them in hexadecimal.
    public let token: Data

    package init(type: PKPushType, token: Data) {
        self.type = type
        self.token = token
    }
}
