private import CSodium

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    package static let byteCount = 32

    /// - Returns: 32 bytes, of all parts in order.
    package static func hash(_ parts: [UInt8]...) -> [UInt8] {
        var state = crypto_hash_sha256_state()
        unsafe crypto_hash_sha256_init(&state)
        for part in parts {
            unsafe crypto_hash_sha256_update(&state, part, UInt64(part.count))
        }
        var digest = [UInt8](repeating: 0, count: byteCount)
        unsafe crypto_hash_sha256_final(&state, &digest)
        return digest
    }
}
