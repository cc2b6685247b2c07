/// Where a message's file is, and what opens it: docs/protocol.md, section 6. The file is stored encrypted, at a host that
/// learns its padded length and nothing else of it; the key travels in the message.
public struct AttachmentPointer: Hashable, Sendable {
    /// In one message, thumbnails among them.
    public static let countMax = 4
    /// Of the file, before it is padded and encrypted.
    public static let byteCountMax = AttachmentLength.byteCountMax
    /// Of `name`, in UTF-8.
    public static let nameByteCountMax = 64

    /// Names the file; bound into its encryption, so that no other file opens in its place.
    public let id: AttachmentID
    /// Where the encrypted file is.
    public let url: AttachmentURL
    /// For this file only.
    public let key: AttachmentKey
    /// Of the file, in bytes: what a device writes to its disk.
    public let byteCount: UInt64
    /// Of what is stored, in bytes: it follows from `byteCount`.
    public let storedByteCount: UInt64
    /// What the sender says the file is. A device looks at the file, too.
    public let type: MediaType
    /// For display, never as the name of a file; nil for none.
    public let name: String?
    /// Whether it stands in for the attachment that follows it, until that one is there.
    public let isThumbnail: Bool

    /// - Parameters:
    ///   - id: random, never used for another file.
    ///   - url: where the encrypted file is, or will be before the message is sealed.
    ///   - key: random, never used for another file.
    ///   - byteCount: of the file before encryption, 2^40 at most.
    ///   - type: what the file is.
    ///   - name: 1 to 64 bytes of UTF-8 without U+0000; nil for none.
    ///   - isThumbnail: whether it stands in for the attachment that follows it in the message.
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

    /// What the file's encryption is bound to: LP("SealedPush/1 attachment") ‖ id, 40 bytes.
    public var context: [UInt8] { id.context }

    private static func isName(_ name: String) -> Bool {
        (1...nameByteCountMax).contains(name.utf8.count) && !name.utf8.contains(0)
    }

    /// Whether these may stand in one message, in this order: four at most, each with an id and a key of its own, and
    /// behind every thumbnail the file that it stands in for.
    static func areAttachments(_ pointers: [AttachmentPointer]) -> Bool {
        guard pointers.count <= countMax else { return false }
        guard Set(pointers.map(\.id)).count == pointers.count, Set(pointers.map(\.key)).count == pointers.count else {
            return false
        }
        return zip(pointers, pointers.dropFirst()).allSatisfy { !($0.isThumbnail && $1.isThumbnail) }
            && pointers.last?.isThumbnail != true
    }
}

/// Why there is no such attachment.
public enum AttachmentPointerError: Error, Equatable {
    /// The file is longer than an attachment may be.
    case tooLong(byteCountMax: UInt64)
    /// Empty, too long, or with U+0000 in it.
    case name(byteCountMax: Int)
}
