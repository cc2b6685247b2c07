package enum HPKEError: Error, Equatable {
    case wrongEncapsulatedKeyLength
    /// All-zero shared secret (RFC 9180 section 7.1.4).
    case lowOrderPublicKey
    /// Deliberately without detail.
    case openFailed
    /// Repeated bytes: do not seal with them.
    case randomSourceFailed
}
