/// Key of one attachment's file: 32 random bytes, never reused. It travels in the sealed message.
public struct AttachmentKey: Hashable, Sendable {
    package static let byteCount = 32
    static let characterCount = 43

    private let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount)
        self.bytes = bytes
    }

    /// Takes 32 bytes; nil for another length.
    public init?(rawRepresentation: [UInt8]) {
        guard rawRepresentation.count == Self.byteCount else { return nil }
        bytes = rawRepresentation
    }

    /// Decodes base64url of 32 bytes.
    init?(text: String) {
        guard text.utf8.count == Self.characterCount, let bytes = Base64URL.decode(Array(text.utf8)) else { return nil }
        self.bytes = bytes
    }

    var text: String { Base64URL.string(bytes) }

    /// Passes the 32 bytes to `body`, which must not keep them.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(bytes)
    }
}

extension AttachmentKey: CustomStringConvertible, CustomReflectable {
    /// Omits the bytes.
    public var description: String { "AttachmentKey" }
    /// Omits the bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
