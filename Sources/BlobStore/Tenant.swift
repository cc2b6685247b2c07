internal import Primitives

/// Who may upload, and how much.
package struct Tenant: Hashable, Sendable {
    /// What the tenant's files are counted under: a hash, so that names need no escaping and tokens may change.
    package struct Key: Hashable, Sendable {
        let bytes: [UInt8]

        init(bytes: [UInt8]) { self.bytes = bytes }

        package init(name: String) { bytes = SHA256.hash(Array("SealedPush/1 tenant".utf8), Array(name.utf8)) }
    }

    package let key: Key
    /// Of its blobs, and of what its uploads declared.
    package let byteCountMax: UInt64
    /// At one time.
    package let uploadCountMax: Int

    package init(name: String, byteCountMax: UInt64, uploadCountMax: Int) {
        key = Key(name: name)
        self.byteCountMax = byteCountMax
        self.uploadCountMax = uploadCountMax
    }
}

/// What a tenant has in a folder.
struct Usage: Equatable {
    /// Blobs, and uploads as they were declared.
    var byteCount: UInt64 = 0
    var uploadCount = 0
}
