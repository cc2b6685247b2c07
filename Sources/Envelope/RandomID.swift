/// 16 random bytes; `Tag` keeps kinds of ids apart.
public struct RandomID<Tag>: Hashable, Sendable {
    package static var byteCount: Int { 16 }
    package static var characterCount: Int { 22 }

    /// Two words: Swift aligns a `UInt128` to 16 bytes, and takes each object that holds one from `posix_memalign`.
    private let high: UInt64
    private let low: UInt64

    /// Makes an id of the halves of a big-endian number.
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    package init(bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount)
        let value = bytes.reduce(0) { $0 << 8 | UInt128($1) }
        self.init(high: UInt64(truncatingIfNeeded: value >> 64), low: UInt64(truncatingIfNeeded: value))
    }

    /// Big-endian.
    private var value: UInt128 { UInt128(high) << 64 | UInt128(low) }

    /// Takes 16 bytes; nil for another length.
    public init?(rawRepresentation: [UInt8]) {
        guard rawRepresentation.count == Self.byteCount else { return nil }
        self.init(bytes: rawRepresentation)
    }

    /// Decodes base64url of 16 bytes.
    public init?(text: String) {
        guard text.utf8.count == Self.characterCount, let bytes = Base64URL.decode(Array(text.utf8)) else { return nil }
        self.init(bytes: bytes)
    }

    /// 16 bytes.
    public var rawRepresentation: [UInt8] {
        unsafe withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { unsafe Array($0) }
    }

    /// 22 characters of base64url.
    public var text: String {
        var text: [UInt8] = []
        appendText(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    package func appendText(to text: inout [UInt8]) {
        let alphabet = Base64URL.alphabet
        var rest = value
        // One append: 22 single ones take longer than making the characters.
        let characters = InlineArray<22, UInt8> { _ in
            defer { rest <<= 6 }
            return alphabet[Int(truncatingIfNeeded: rest >> 122)]
        }
        unsafe characters.span.withUnsafeBufferPointer { unsafe text.append(contentsOf: $0) }
    }
}

/// Message's id, shared by a fan-out and its re-sends.
public typealias MessageID = RandomID<MessageTag>
/// Tag of `MessageID`.
public enum MessageTag {}

extension MessageID: Comparable {
    /// Orders as numbers, to decide between two changes of one instant.
    public static func < (one: MessageID, other: MessageID) -> Bool { one.value < other.value }
}

/// An attachment's id, bound into its encryption and never reused.
public typealias AttachmentID = RandomID<AttachmentTag>
/// Tag of `AttachmentID`.
public enum AttachmentTag {}

extension AttachmentID {
    /// LP("SealedPush/1 attachment") ‖ id, 40 bytes, bound into the file's encryption.
    package var context: [UInt8] { Binding.context(Binding.attachmentContext) + rawRepresentation }
}

/// Traces one push to one device through logs. Unauthenticated, and never a key for anything.
public typealias Trace = RandomID<TraceTag>
/// Tag of `Trace`.
public enum TraceTag {}

/// Push endpoint's id, for its device and operators.
public typealias EndpointID = RandomID<EndpointTag>
/// Tag of `EndpointID`.
public enum EndpointTag {}

/// Right to one receipt, for one message and recipient. It travels sealed; the relay keeps its hash
/// (docs/protocol.md, section 6). Never reused.
public typealias ReceiptCapability = RandomID<ReceiptTag>
/// Tag of `ReceiptCapability`.
public enum ReceiptTag {}

// The only secret id: descriptions omit its bytes.
extension ReceiptCapability: CustomStringConvertible, CustomReflectable {
    /// Omits the bytes.
    public var description: String { "ReceiptCapability" }
    /// Omits the bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
