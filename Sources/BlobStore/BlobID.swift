internal import Envelope
package import Primitives

/// Under what a blob is fetched: whoever knows it may. 32 bytes that say nothing; base64url in a URL, 43 characters.
package struct BlobID: Hashable, Sendable {
    package static let byteCount = 32
    package let bytes: [UInt8]

    /// Nil for anything but the one text of 32 bytes, which has 43 characters.
    package init?(_ text: Substring) {
        guard let bytes = Base64URL.decode(text.utf8), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

    package var text: String { Base64URL.string(bytes) }

    /// What no upload becomes: looked for in the place of an id that is none, so that both take the same work.
    static let none = BlobID(bytes: [UInt8](repeating: 0, count: byteCount))
}

/// Under what an upload is continued. Only its tenant is told; it gives away the blob's id, and not the other way round.
package struct UploadID: Hashable, Sendable {
    package let bytes: [UInt8]

    package init?(_ text: Substring) {
        guard let bytes = Base64URL.decode(text.utf8), bytes.count == BlobID.byteCount else { return nil }
        self.bytes = bytes
    }

    /// A fresh one.
    package init(random: inout some RandomSource) { bytes = random.bytes(count: BlobID.byteCount) }

    package var text: String { Base64URL.string(bytes) }

    /// What the upload becomes: known from its first moment on and written nowhere, so that an answer that was lost on its
    /// way can be asked for again.
    package var blobID: BlobID { BlobID(bytes: SHA256.hash(Array("SealedPush/1 blob".utf8), bytes)) }
}
