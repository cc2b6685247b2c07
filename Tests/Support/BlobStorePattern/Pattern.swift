package import BlobStore

/// Content of the tests' uploads: bytes that follow from the upload's id, so that another process knows them.
package enum Pattern {
    /// Seconds since 1970.
    package static let now: UInt64 = 1_800_000_000
    package static let tenant = Tenant(name: "acme", byteCountMax: 1 << 40, uploadCountMax: 1 << 20)

    package static func bytes(_ id: UploadID, _ range: Range<UInt64>) -> [UInt8] {
        range.map {
            id.bytes[Int($0 % 32)] &+ UInt8(truncatingIfNeeded: $0 >> 5) &+ UInt8(truncatingIfNeeded: $0 >> 13)
        }
    }
}
