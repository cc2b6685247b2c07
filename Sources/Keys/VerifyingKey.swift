private import Envelope
package import Primitives

/// Public Ed25519 key with its role as a type: a sender's cannot be pinned as a device's.
public struct VerifyingKey<Owner: KeyOwner>: Equatable, Hashable, Sendable {
    package let key: Ed25519PublicKey

    package init(_ key: Ed25519PublicKey) { self.key = key }

    /// Checks a raw key. Throws `.notAKey` unless it is 32 bytes, canonical, and not of small order.
    public init(rawRepresentation: [UInt8]) throws(KeyTextError) {
        do {
            key = try Ed25519PublicKey(rawRepresentation: rawRepresentation)
        } catch {
            throw .notAKey
        }
    }

    /// Parses the text form, trimmed.
    ///
    /// - Throws: `.wrongPrefix` for another role, `.privateKey`, `.notAKey`.
    public init(text: some StringProtocol) throws(KeyTextError) {
        let trimmed = text.drop(while: \.isWhitespace)
        let end = trimmed.lastIndex { !$0.isWhitespace }.map { trimmed.index(after: $0) } ?? trimmed.startIndex
        let line = trimmed[..<end]
        guard line.hasPrefix(Owner.textPrefix) else {
            throw PrivateFile.isKeyFile(line) ? .privateKey : .wrongPrefix(expected: Owner.textPrefix)
        }
        guard let bytes = Base64URL.decode(Array(line.utf8.dropFirst(Owner.textPrefix.utf8.count))) else {
            throw .notAKey
        }
        try self.init(rawRepresentation: bytes)
    }

    /// 32 bytes (RFC 8032).
    public var rawRepresentation: [UInt8] { key.rawRepresentation }

    /// Text form: role prefix and 43 base64url characters.
    public var text: String { Owner.textPrefix + Base64URL.string(key.rawRepresentation) }
}

/// Role of a public key.
public protocol KeyOwner: Sendable {
    /// Text prefix.
    static var textPrefix: String { get }
}

/// Device key: signs prekey bundles; senders pin it.
public enum DeviceOwner: KeyOwner {
    /// Text prefix.
    public static let textPrefix = "sealedpush-identity-1:"
}

/// Sender key: signs messages; devices pin it.
public enum SenderOwner: KeyOwner {
    /// Text prefix.
    public static let textPrefix = "sealedpush-sender-1:"
}

/// Device identity, IK.
public typealias IdentityKey = VerifyingKey<DeviceOwner>

/// Sender identity, SK.
public typealias SenderKey = VerifyingKey<SenderOwner>

/// Reason to refuse a text.
public enum KeyTextError: Error, Equatable {
    /// Perhaps another role.
    case wrongPrefix(expected: String)
    /// Private key file.
    case privateKey
    /// Not a usable Ed25519 key in base64url.
    case notAKey
}
