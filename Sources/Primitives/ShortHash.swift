#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
private import CSodium

/// SipHash-2-4, for tables that others fill: without the key, colliding inputs cannot be chosen. Not for secrecy or
/// integrity.
///
/// - Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF"; libsodium's `crypto_shorthash`.
package struct ShortHash: Sendable {
    package static let keyByteCount = 16
    private let key: [UInt8]

    /// - Parameter key: 16 bytes.
    package init(key: [UInt8]) {
        precondition(key.count == Self.keyByteCount)
        self.key = key
    }

    package func callAsFunction(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0
        unsafe withUnsafeMutableBytes(of: &hash) { output in
            // It cannot fail.
            _ = unsafe crypto_shorthash_siphash24(
                output.assumingMemoryBound(to: UInt8.self).baseAddress!,
                bytes,
                UInt64(bytes.count),
                key
            )
        }
        return UInt64(littleEndian: hash)
    }
}
#endif
