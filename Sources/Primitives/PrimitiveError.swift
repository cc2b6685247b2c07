/// Errors of primitives. A failed tag or signature has no detail.
package enum PrimitiveError: Error, Equatable {
    case wrongByteCount(of: StaticName, expected: Int, actual: Int)
    /// Peer's key of low order (RFC 7748 section 6.1).
    case lowOrderPublicKey
    /// Non-canonical Ed25519 key, or one of small order.
    case unacceptablePublicKey
    case authenticationFailed
    /// More than 255 blocks (RFC 5869 section 2.3).
    case outputTooLong(byteCount: Int, byteCountMax: Int)

    package enum StaticName: Equatable, Sendable {
        case privateKey, publicKey, nonce, signature
    }
}
