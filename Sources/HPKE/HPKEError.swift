/// Why HPKE refused.
package enum HPKEError: Error, Equatable {
    /// An encapsulated key of the wrong length.
    case wrongEncapsulatedKeyLength
    /// The recipient's key, the sender's, or the encapsulated key gives an all-zero shared secret (RFC 9180 section
    /// 7.1.4).
    case lowOrderPublicKey
    /// The tag did not match. Deliberately without detail.
    case openFailed
    /// The sequence counter would repeat (RFC 9180 section 5.2).
    case messageLimitReached
    /// More than 255 × 32 exported bytes asked for (RFC 9180 section 5.3).
    case exportTooLong
    /// Sealing or opening with the AEAD that only exports (RFC 9180 section 7.3).
    case exportOnly
    /// A mode with a PSK, and neither the key nor its id.
    case missingPSK
    /// A PSK without its id (RFC 9180 section 5.1).
    case pskWithoutID
    /// An id without its PSK (RFC 9180 section 5.1).
    case pskIDWithoutPSK
    /// RFC 9180 section 5.1.2.
    case pskTooShort(byteCount: Int, byteCountMin: Int)
    /// The random source gave the same bytes twice: nothing may be sealed with it.
    case randomSourceFailed
}
