package enum HPKEError: Error, Equatable {
    case wrongEncapsulatedKeyLength
    /// The shared secret is all zeros (RFC 9180 section 7.1.4).
    case lowOrderPublicKey
    /// Deliberately without detail.
    case openFailed
    /// Repeated bytes: do not seal with them.
    case randomSourceFailed
}
