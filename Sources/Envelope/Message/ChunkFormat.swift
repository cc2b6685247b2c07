/// Constants of c2sp.org/chunked-encryption with AES-256-GCM and SHA-512: salt ‖ commitment ‖ chunks.
package enum ChunkFormat {
    package static let keyByteCount = 32
    package static let saltByteCount = 24
    package static let commitmentByteCount = 32
    package static let headByteCount = saltByteCount + commitmentByteCount
    package static let tagByteCount = 16
    /// Each chunk but the last, which is shorter and may be empty.
    package static let plaintextByteCount = 1 << 14
    package static let sealedByteCount = plaintextByteCount + tagByteCount
    /// Format's bound.
    package static let chunkCountMax: UInt64 = 1 << 38
}
