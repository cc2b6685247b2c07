import Envelope
import Primitives

/// Device's secret for making and revoking its endpoints. The app keeps `text` in its keychain, and gives `hash` to its
/// back end, which stores it at the relay (docs/gateway.md).
public struct EndpointKey: Equatable, Sendable {
    private static let prefix = "spd_"
    private static let context = "SealedPush/1 endpoint key"

    /// `spd_` and 43 characters of base64url.
    public let text: String

    /// Makes a new one.
    public init() {
        var random = SystemRandom()
        text = Self.prefix + Base64URL.string(random.bytes(count: 32))
    }

    /// Takes a key made earlier; nil for another text.
    public init?(text: String) {
        guard text.hasPrefix(Self.prefix), text.utf8.count == Self.prefix.utf8.count + 43,
            Base64URL.decode(Array(text.utf8.dropFirst(Self.prefix.utf8.count))) != nil
        else { return nil }
        self.text = text
    }

    /// 43 characters of base64url; not secret.
    public var hash: String { Base64URL.string(hashBytes) }

    /// 32 bytes.
    var hashBytes: [UInt8] { SHA256.hash(Array(Self.context.utf8), Array(text.utf8)) }
}

extension EndpointKey: CustomStringConvertible, CustomReflectable {
    /// Omits the secret, for logs.
    public var description: String { "EndpointKey(hash: \(hash))" }
    /// Shows no member.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
