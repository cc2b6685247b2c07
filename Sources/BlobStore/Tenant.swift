internal import Primitives

/// Uploader and its limits.
package struct Tenant: Hashable, Sendable {
    /// Hash of the name for stored files: names need no escaping, and tokens may change.
    package struct Key: Hashable, Sendable {
        let bytes: [UInt8]

        init(bytes: [UInt8]) { self.bytes = bytes }

        package init(name: String) { bytes = SHA256.hash(Array("SealedPush/1 tenant".utf8), Array(name.utf8)) }
    }

    package let key: Key
    /// Of blobs and declared uploads.
    package let byteCountMax: UInt64
    /// At one time.
    package let uploadCountMax: Int

    package init(name: String, byteCountMax: UInt64, uploadCountMax: Int) {
        key = Key(name: name)
        self.byteCountMax = byteCountMax
        self.uploadCountMax = uploadCountMax
    }
}

struct Usage: Equatable {
    /// Blobs and declared uploads.
    var byteCount: UInt64 = 0
    var uploadCount = 0
}
