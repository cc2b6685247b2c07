/// Follows one push to one device through logs. Random, unauthenticated, and never a key for anything.
public struct Trace: Equatable, Hashable, Sendable {
    static let byteCount = 16
    /// 22 characters of base64url.
    package static let characterCount = 22

    /// The text that travels.
    public let text: String

    package init(bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount)
        text = Base64URL.string(bytes)
    }

    /// - Returns: `nil` unless the text is the base64url of 16 bytes.
    package init?(text: some StringProtocol) {
        // As with `Base64URL`: generic code is not specialized for callers in other modules.
        self.init(text: String(text))
    }

    /// - Returns: `nil` unless the text is the base64url of 16 bytes.
    package init?(text: String) {
        let characters = Array(text.utf8)
        guard characters.count == Self.characterCount, Base64URL.isCanonical(characters) else { return nil }
        self.text = text
    }
}
