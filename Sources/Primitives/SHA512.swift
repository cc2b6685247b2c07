private import CSodium

/// SHA-512 (FIPS 180-4).
package enum SHA512 {
    package static let byteCount = 64

    /// - Returns: 64 bytes, of all parts in order.
    package static func hash(_ parts: [UInt8]...) -> [UInt8] {
        var state = crypto_hash_sha512_state()
        unsafe crypto_hash_sha512_init(&state)
        for part in parts {
            unsafe crypto_hash_sha512_update(&state, part, UInt64(part.count))
        }
        var digest = [UInt8](repeating: 0, count: byteCount)
        unsafe crypto_hash_sha512_final(&state, &digest)
        return digest
    }
}
