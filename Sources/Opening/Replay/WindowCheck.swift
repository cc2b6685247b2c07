import Primitives

/// What tells a word that was written from one that was not.
enum WindowCheck {
    /// A sum of the words, each with its own factor, modulo a prime: no single flipped bit leaves it as it was, nor do
    /// two words that changed places. It is for accidents, not against somebody who can write to the file.
    static func sum(_ words: ArraySlice<UInt64>, modulo prime: UInt64) -> UInt64 {
        var sum: UInt64 = 1
        var factor: UInt64 = 1
        for word in words {
            sum += word % prime * factor
            factor += 30
        }
        return sum % prime
    }

    /// The same of four words: this one is made 256 times in every claim.
    static func sum(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, modulo prime: UInt64) -> UInt64 {
        (1 + a % prime + b % prime * 31 + c % prime * 61 + d % prime * 91) % prime
    }

    /// The largest primes that fit in 8 and in 16 bits.
    static let prime8: UInt64 = 251
    static let prime16: UInt64 = 65_521

    /// All words folded into one, for a page that is written with every new id.
    /// Any one word that differs changes the result, since each step is one-to-one; so does, but for one in 2^64,
    /// whatever a write that was cut off leaves. (FNV-1a, with words for bytes.)
    static func fold(_ words: ArraySlice<UInt64>) -> UInt64 {
        words.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ $1) &* 0x0000_0100_0000_01B3 }
    }

    /// SHA-256 of the words, its first 8 bytes: for what may be cut off in the middle.
    static func digest(_ words: ArraySlice<UInt64>) -> UInt64 {
        let bytes = unsafe words.withUnsafeBytes { unsafe [UInt8]($0) }
        return SHA256.hash(bytes).word(at: 0)
    }
}
