/// Why HPKE refused.
package enum HPKEError: Error, Equatable {
    /// An encapsulated key of the wrong length.
    case wrongEncapsulatedKeyLength
    /// The recipient's key or the encapsulated key gives an all-zero shared secret (RFC 9180 section 7.1.4).
    case lowOrderPublicKey
    /// The tag did not match. Deliberately without detail.
    case openFailed
    /// The random source gave the same bytes twice: nothing may be sealed with it.
    case randomSourceFailed
}
