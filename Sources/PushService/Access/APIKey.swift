import Envelope
package import Primitives

/// Tenant's secret for the API: `spk_` and 32 random bytes in base64url. Shown once; only its hash is kept.
///
/// Scanners of repositories and logs find keys by the prefix.
package enum APIKey {
    package static let prefix = "spk_"
    package static let characterCount = 47
    static let context = "SealedPush/1 API key"

    package static func make(random: inout some RandomSource) -> (text: String, hash: APIKeyHash) {
        let text = prefix + Base64URL.string(random.bytes(count: 32))
        return (text, APIKeyHash(of: Array(text.utf8)))
    }

    /// Checks the form only.
    static func isWellFormed(_ text: [UInt8]) -> Bool {
        text.count == characterCount && text.starts(with: prefix.utf8)
            && Base64URL.decode(text.dropFirst(prefix.utf8.count)) != nil
    }

    /// Token after `Bearer `; nil for another scheme or several words. No JWT, so no disputed algorithm.
    package static func bearer(_ field: String) -> [UInt8]? {
        guard field.utf8.count <= 256, field.utf8.count > scheme.count else { return nil }
        var word = Array(field.utf8)
        for index in scheme.indices where word[index] | 0x20 != scheme[index] { return nil }
        word.removeFirst(scheme.count)
        for byte in word where byte < 0x21 || byte > 0x7E { return nil }
        return word
    }

    private static let scheme = Array("bearer ".utf8)
}

/// SHA-256 over a context string and a key's text: 256 random bits need no slow hash.
package struct APIKeyHash: Hashable, Sendable {
    package static let byteCount = SHA256.byteCount

    /// 32 bytes.
    package let bytes: [UInt8]

    package init(of text: [UInt8]) {
        bytes = SHA256.hash(Array(APIKey.context.utf8), text)
    }

    /// Decodes 43 characters of base64url.
    package init?(text: String) {
        guard let bytes = Base64URL.decode(Array(text.utf8)), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    package var text: String { Base64URL.string(bytes) }
}
