/// Errors of primitives. A failed tag or signature is one case without detail.
package enum PrimitiveError: Error, Equatable {
    /// A key, nonce or signature of the wrong length.
    case wrongByteCount(of: StaticName, expected: Int, actual: Int)
    /// The Diffie-Hellman result was all zeros: the peer's key has low order (RFC 7748 section 6.1).
    case lowOrderPublicKey
    /// An Ed25519 key with a non-canonical encoding or of small order.
    case unacceptablePublicKey
    case authenticationFailed
    /// RFC 5869 section 2.3: at most 255 blocks.
    case outputTooLong(byteCount: Int, byteCountMax: Int)

    package enum StaticName: Equatable, Sendable {
        case privateKey, publicKey, nonce, signature
    }
}
