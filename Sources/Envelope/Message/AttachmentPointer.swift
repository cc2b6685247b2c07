/// The place and key of a message's file (docs/protocol.md, section 6). Its host learns only the padded length; the key
/// travels in the message.
public struct AttachmentPointer: Hashable, Sendable {
    /// The bound in one message, with thumbnails.
    public static let countMax = 4
    /// The longest file, before padding and encryption.
    public static let byteCountMax = AttachmentLength.byteCountMax
    /// The longest `name`, in bytes of UTF-8.
    public static let nameByteCountMax = 64

    /// The file's id, bound into its encryption so that no other file opens in its place.
    public let id: AttachmentID
    /// The encrypted file's URL.
    public let url: AttachmentURL
    /// The key, for this file only.
    public let key: AttachmentKey
    /// The file's length in bytes, as the device writes it.
    public let byteCount: UInt64
    /// The stored length in bytes, derived from `byteCount`.
    public let storedByteCount: UInt64
    /// The sender's claim of the type. The device checks the file too.
    public let type: MediaType
    /// A display name, never a file name; nil for none.
    public let name: String?
    /// True for a stand-in until the attachment after it is loaded.
    public let isThumbnail: Bool

    /// Creates a pointer.
    ///
    /// - Parameters:
    ///   - id: random, never reused.
    ///   - url: the file is there before the message is sealed.
    ///   - key: random, never reused.
    ///   - byteCount: before encryption, 2^40 at most.
    ///   - name: 1 to 64 bytes of UTF-8 without U+0000; nil for none.
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

    /// The context of the file's encryption: LP("SealedPush/1 attachment") ‖ id, 40 bytes.
    public var context: [UInt8] { id.context }

    private static func isName(_ name: String) -> Bool {
        (1...nameByteCountMax).contains(name.utf8.count) && !name.utf8.contains(0)
    }

    /// Checks a message's attachments: four at most, distinct ids and keys, and after each thumbnail its file.
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
    /// The file is too long.
    case tooLong(byteCountMax: UInt64)
    case name(byteCountMax: Int)
}
