/// Why HPKE refused.
package enum HPKEError: Error, Equatable {
    /// An encapsulated key of the wrong length.
    case wrongEncapsulatedKeyLength
    /// The recipient's key, or the encapsulated key, gives an all-zero shared secret (RFC 9180 section 7.1.4).
    case lowOrderPublicKey
    /// The tag did not match. Deliberately without detail.
    case openFailed
    /// The sequence counter would repeat (RFC 9180 section 5.2).
    case messageLimitReached
    /// More than 255 × 32 exported bytes asked for (RFC 9180 section 5.3).
    case exportTooLong
}
