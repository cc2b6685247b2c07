package enum HPKEError: Error, Equatable {
    case wrongEncapsulatedKeyLength
    /// The shared secret is all zeros (RFC 9180 section 7.1.4).
    case lowOrderPublicKey
    /// The tag did not match. Deliberately without detail.
    case openFailed
    /// The random source repeated its bytes: do not seal with it.
    case randomSourceFailed
}
