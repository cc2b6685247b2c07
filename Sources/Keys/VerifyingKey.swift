private import Envelope
package import Primitives

/// A public Ed25519 key of one role. The roles are types, so that a sender's key cannot be pinned as a device's.
public struct VerifyingKey<Owner: KeyOwner>: Equatable, Hashable, Sendable {
    package let key: Ed25519PublicKey

    package init(_ key: Ed25519PublicKey) { self.key = key }

    /// - Throws: `.notAKey` unless the 32 bytes are a canonical point that is not of small order.
    public init(rawRepresentation: [UInt8]) throws(KeyTextError) {
        do {
            key = try Ed25519PublicKey(rawRepresentation: rawRepresentation)
        } catch {
            throw .notAKey
        }
    }

    /// Reads the text form, white space around it apart.
    ///
    /// - Throws: `.wrongPrefix` for a key of another role, `.privateKey`, `.notAKey`.
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

    /// The text to hand around: a prefix that names the role, then 43 characters of base64url.
    public var text: String { Owner.textPrefix + Base64URL.string(key.rawRepresentation) }
}

/// What a public key belongs to.
public protocol KeyOwner: Sendable {
    /// What the text form begins with.
    static var textPrefix: String { get }
}

/// A device: its key signs the bundle of its prekeys, and senders pin it.
public enum DeviceOwner: KeyOwner {
    /// What the text form begins with.
    public static let textPrefix = "sealedpush-identity-1:"
}

/// A sender: its key signs every message, and devices pin it.
public enum SenderOwner: KeyOwner {
    /// What the text form begins with.
    public static let textPrefix = "sealedpush-sender-1:"
}

/// IK: a device's identity.
public typealias IdentityKey = VerifyingKey<DeviceOwner>

/// SK: a sender's identity.
public typealias SenderKey = VerifyingKey<SenderOwner>

/// Why a text is no public key.
public enum KeyTextError: Error, Equatable {
    /// Perhaps a key of another role.
    case wrongPrefix(expected: String)
    /// The text of a file of private keys: its public half belongs here.
    case privateKey
    /// Not base64url of a usable Ed25519 key.
    case notAKey
}
