#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
private import CGMP

/// Maps a point of edwards25519 to the u-coordinate of Curve25519, with GMP. For public keys only: the inverse's time
/// depends on y. `mpn_sec_invert`, in constant time, takes 20 times as long.
enum EdwardsPoint {
    /// u = (1 + y) / (1 - y) = 2 / (1 - y) - 1: 32 bytes, canonical. `encoded` (RFC 8032 section 5.1.2) is not the
    /// neutral point.
    ///
    /// - Source: RFC 7748 section 4.1.
    static func montgomeryU(ofEncoded encoded: [UInt8]) -> [UInt8] {
        precondition(encoded.count == 32)
        var bytes = [UInt8](repeating: 0, count: 32)
        var number = unsafe __mpz_struct()
        unsafe withUnsafeMutablePointer(to: &number) { n in
            unsafe __gmpz_init2(n, 320)
            unsafe __gmpz_import(n, 32, -1, 1, 0, 0, encoded)
            // The sign of x.
            unsafe __gmpz_clrbit(n, 255)
            unsafe __gmpz_ui_sub(n, 1, n)
            let hasInverse = unsafe __gmpz_invert(n, n, modulus) != 0
            precondition(hasInverse, "the neutral point is no public key")
            unsafe __gmpz_mul_2exp(n, n, 1)
            unsafe __gmpz_sub_ui(n, n, 1)
            unsafe __gmpz_mod(n, n, modulus)
            unsafe __gmpz_export(&bytes, nil, -1, 1, 0, 0, n)
            unsafe __gmpz_clear(n)
        }
        return bytes
    }

    /// p = 2^255 - 19. Made once, then only read.
    nonisolated(unsafe) private static let modulus = {
        let p = UnsafeMutablePointer<__mpz_struct>.allocate(capacity: 1)
        unsafe __gmpz_init(p)
        unsafe __gmpz_ui_pow_ui(p, 2, 255)
        unsafe __gmpz_sub_ui(p, p, 19)
        return unsafe UnsafePointer(p)
    }()
}
#endif
