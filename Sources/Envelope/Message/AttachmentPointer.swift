/// Place and key of a message's file (docs/protocol.md, section 6). Its host learns only the padded length.
public struct AttachmentPointer: Hashable, Sendable {
    /// Bound in one message.
    public static let countMax = 4
    /// The longest file, before padding and encryption.
    public static let byteCountMax = AttachmentLength.byteCountMax
    /// Bound of `name`, in bytes of UTF-8.
    public static let nameByteCountMax = 64

    /// Id, bound into the encryption so that no other file opens in its place.
    public let id: AttachmentID
    /// Encrypted file's URL.
    public let url: AttachmentURL
    /// Key, for this file only.
    public let key: AttachmentKey
    /// File's length in bytes.
    public let byteCount: UInt64
    /// Stored length in bytes.
    public let storedByteCount: UInt64
    /// Sender's claim. The device checks the file too.
    public let type: MediaType
    /// Display name, never a file name; nil for none.
    public let name: String?
    /// True for a stand-in until the attachment after it is loaded.
    public let isThumbnail: Bool

    /// Creates a pointer.
    ///
    /// - Parameters:
    ///   - id: random, never reused.
    ///   - url: sealed file.
    ///   - key: random, never reused.
    ///   - byteCount: before encryption, 2^40 at most.
    ///   - type: of the file before it was sealed.
    ///   - name: 1 to 64 bytes of UTF-8 without U+0000; nil for none.
    ///   - isThumbnail: true for a stand-in for the next attachment.
    /// - Throws: `.tooLong`, `.name`.
    public init(
        id: AttachmentID,
        url: AttachmentURL,
        key: AttachmentKey,
        byteCount: UInt64,
        type: MediaType,
        name: String? = nil,
        isThumbnail: Bool = false
    ) throws(AttachmentPointerError) {
        guard byteCount <= Self.byteCountMax else { throw .tooLong(byteCountMax: Self.byteCountMax) }
        guard name.map(Self.isName) ?? true else { throw .name(byteCountMax: Self.nameByteCountMax) }
        self.id = id
        self.url = url
        self.key = key
        self.byteCount = byteCount
        storedByteCount = AttachmentLength.stored(byteCount)
        self.type = type
        self.name = name
        self.isThumbnail = isThumbnail
    }

    /// LP("SealedPush/1 attachment") ‖ id, 40 bytes, bound into the file's encryption.
    public var context: [UInt8] { id.context }

    private static func isName(_ name: String) -> Bool {
        (1...nameByteCountMax).contains(name.utf8.count) && !name.utf8.contains(0)
    }

    /// True for at most four with distinct ids and keys, and a file after each thumbnail.
    static func areAttachments(_ pointers: [AttachmentPointer]) -> Bool {
        guard pointers.count <= countMax else { return false }
        guard Set(pointers.map(\.id)).count == pointers.count, Set(pointers.map(\.key)).count == pointers.count else {
            return false
        }
        return zip(pointers, pointers.dropFirst()).allSatisfy { !($0.isThumbnail && $1.isThumbnail) }
            && pointers.last?.isThumbnail != true
    }
}

/// Errors of an attachment.
public enum AttachmentPointerError: Error, Equatable {
    /// File too long.
    case tooLong(byteCountMax: UInt64)
    /// A name that is empty, too long, or with U+0000.
    case name(byteCountMax: Int)
}
