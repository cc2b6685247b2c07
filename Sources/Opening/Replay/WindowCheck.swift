import Primitives

/// Checksums that detect torn or missing writes.
enum WindowCheck {
    /// Sum of the words with distinct factors, modulo a prime. Detects every flipped bit, and exchanged words
    /// unless equal modulo the prime. Against accidents, not attacks.
    static func sum(_ words: ArraySlice<UInt64>, modulo prime: UInt64) -> UInt64 {
        var sum: UInt64 = 1
        var factor: UInt64 = 1
        for word in words {
            sum += word % prime * factor
            factor += 30
        }
        return sum % prime
    }

    /// Unrolled: computed 256 times in every claim.
    static func sum(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, modulo prime: UInt64) -> UInt64 {
        (1 + a % prime + b % prime * 31 + c % prime * 61 + d % prime * 91) % prime
    }

    /// Largest primes in 8 and 16 bits.
    static let prime8: UInt64 = 251
    static let prime16: UInt64 = 65_521

    /// FNV-1a over words, for a page written with every new id. Each step is one-to-one, so one changed word is always
    /// detected; a torn write is missed once in 2^64.
    static func fold(_ words: ArraySlice<UInt64>) -> UInt64 {
        words.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ $1) &* 0x0000_0100_0000_01B3 }
    }

    /// First 8 bytes of SHA-256.
    static func digest(_ words: ArraySlice<UInt64>) -> UInt64 {
        let bytes = unsafe words.withUnsafeBytes { unsafe [UInt8]($0) }
        return SHA256.hash(bytes).word(at: 0)
    }
}
