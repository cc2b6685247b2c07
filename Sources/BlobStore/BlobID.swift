internal import Envelope
package import Primitives

/// Blob's id, which suffices to fetch it: 32 opaque bytes; in a URL 43 characters of base64url.
package struct BlobID: Hashable, Sendable {
    package static let byteCount = 32
    package let bytes: [UInt8]

    /// Fails for anything but the canonical text of 32 bytes.
    package init?(_ text: Substring) {
        guard let bytes = Base64URL.decode(text.utf8), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

    package var text: String { Base64URL.string(bytes) }

    /// Id of no blob: looked up for a malformed id, so that both take equal work.
    static let none = BlobID(bytes: [UInt8](repeating: 0, count: byteCount))
}

/// Upload's id, known to its tenant only. It reveals the blob's id, not the reverse.
package struct UploadID: Hashable, Sendable {
    package let bytes: [UInt8]

    package init?(_ text: Substring) {
        guard let bytes = Base64URL.decode(text.utf8), bytes.count == BlobID.byteCount else { return nil }
        self.bytes = bytes
    }

    package init(random: inout some RandomSource) { bytes = random.bytes(count: BlobID.byteCount) }

    package var text: String { Base64URL.string(bytes) }

    /// Resulting blob's id: derived, not stored, so that a lost answer can be asked for again.
    package var blobID: BlobID { BlobID(bytes: SHA256.hash(Array("SealedPush/1 blob".utf8), bytes)) }
}
