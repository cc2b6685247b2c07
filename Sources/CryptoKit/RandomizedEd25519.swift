internal import CSodium

/// Ed25519 with a random number in the nonce's hash, as CryptoKit signs: two signatures of one message differ.
///
/// - Source: RFC 8032 section 5.1.6; `signature(for:)` of Apple's Curve25519.Signing.PrivateKey.
enum RandomizedEd25519 {
    /// - Returns: 64 bytes, R then S.
    static func signature(over message: [UInt8], seed: KeyBytes, publicKey: [UInt8]) -> [UInt8] {
        var secret = unsafe seed.withUnsafeBytes { unsafe Array(SHA512.hash(data: $0)) }
        defer { unsafe sodium_memzero(&secret, secret.count) }
        secret[0] &= 0xF8
        secret[31] = secret[31] & 0x7F | 0x40
        var random = [UInt8](repeating: 0, count: 32)
        unsafe randombytes_buf(&random, random.count)
        var nonce = scalar(secret[32...] + random + message)
        defer { unsafe sodium_memzero(&nonce, nonce.count) }
        var point = [UInt8](repeating: 0, count: 32)
        let code = unsafe crypto_scalarmult_ed25519_base_noclamp(&point, nonce)
        precondition(code == 0, "a nonce of Ed25519 was zero")
        let challenge = scalar(point + publicKey + message)
        var product = point
        var sum = point
        unsafe crypto_core_ed25519_scalar_mul(&product, challenge, secret)
        unsafe crypto_core_ed25519_scalar_add(&sum, product, nonce)
        return point + sum
    }

    /// SHA-512, reduced by the group's order.
    private static func scalar(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var scalar = [UInt8](repeating: 0, count: 32)
        unsafe crypto_core_ed25519_scalar_reduce(&scalar, Array(SHA512.hash(data: Array(bytes))))
        return scalar
    }
}
