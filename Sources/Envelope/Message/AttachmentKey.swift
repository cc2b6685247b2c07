/// The key of one attachment's file: 32 random bytes, never used for another file. It travels sealed, in the message.
public struct AttachmentKey: Hashable, Sendable {
    package static let byteCount = 32
    /// Characters of base64url.
    static let characterCount = 43

    private let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount)
        self.bytes = bytes
    }

    /// Nil unless there are 32 bytes.
    public init?(rawRepresentation: [UInt8]) {
        guard rawRepresentation.count == Self.byteCount else { return nil }
        bytes = rawRepresentation
    }

    /// As it travels; nil unless the text is the base64url of 32 bytes.
    init?(text: String) {
        guard text.utf8.count == Self.characterCount, let bytes = Base64URL.decode(Array(text.utf8)) else { return nil }
        self.bytes = bytes
    }

    /// 43 characters of base64url.
    var text: String { Base64URL.string(bytes) }

    /// Lends the 32 bytes.
    ///
    /// - Parameter body: must not keep them.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(bytes)
    }
}

extension AttachmentKey: CustomStringConvertible, CustomReflectable {
    /// Without the bytes: whoever has them can read the file.
    public var description: String { "AttachmentKey" }
    /// Without the bytes, too.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
