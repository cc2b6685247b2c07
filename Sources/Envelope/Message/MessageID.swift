/// 16 random bytes that name a message: the same for every recipient of a fan-out, and in a re-send.
public struct MessageID: Hashable, Comparable, Sendable {
    package static let byteCount = 16
    /// Characters of base64url.
    static let characterCount = 22

    /// 16 bytes.
    public let rawRepresentation: [UInt8]

    package init(bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount)
        rawRepresentation = bytes
    }

    /// - Returns: nil unless there are 16 bytes.
    public init?(rawRepresentation: [UInt8]) {
        guard rawRepresentation.count == Self.byteCount else { return nil }
        self.rawRepresentation = rawRepresentation
    }

    /// - Returns: nil unless the text is the base64url of 16 bytes.
    public init?(text: String) {
        guard text.utf8.count == Self.characterCount, let bytes = Base64URL.decode(Array(text.utf8)) else { return nil }
        rawRepresentation = bytes
    }

    /// 22 characters of base64url.
    public var text: String { Base64URL.string(rawRepresentation) }

    /// As numbers: the order that decides between two changes of one instant.
    public static func < (one: MessageID, other: MessageID) -> Bool {
        one.rawRepresentation.lexicographicallyPrecedes(other.rawRepresentation)
    }
}
