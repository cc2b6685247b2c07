#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
private import CSodium

/// libsodium for memory, random bytes, Curve25519, Ed25519 and ChaCha20-Poly1305, by time (docs/performance.md):
/// OpenSSL's key objects cost what its arithmetic gains on Curve25519, and it signs slower.
enum Provider: PrimitiveProvider {
    static func allocateGuarded(byteCount: Int) -> UnsafeMutableRawBufferPointer {
        Sodium.initialize()
        let pages = unsafe sodium_malloc(byteCount)
        // Nil means out of memory; at the limit on locked memory libsodium goes on without the lock.
        guard let pages = unsafe pages else { preconditionFailure("out of memory for \(byteCount) secret bytes") }
        unsafe sodium_memzero(pages, byteCount)
        return unsafe UnsafeMutableRawBufferPointer(start: pages, count: byteCount)
    }

    static func releaseGuarded(_ bytes: UnsafeMutableRawBufferPointer) { unsafe sodium_free(bytes.baseAddress) }

    static func wipe(_ bytes: UnsafeMutableRawBufferPointer) { unsafe sodium_memzero(bytes.baseAddress, bytes.count) }

    static func areEqual(_ one: RawSpan, _ other: RawSpan) -> Bool {
        unsafe one.withBytePointer { one, count in
            unsafe other.withBytePointer { other, _ in unsafe sodium_memcmp(one, other, count) == 0 }
        }
    }

    static func fillWithRandom(_ output: inout MutableRawSpan) {
        Sodium.initialize()
        unsafe output.withMutableBytePointer { unsafe randombytes_buf($0, $1) }
    }

    /// Multiplies on the Edwards form, for which libsodium has a table: half the time of `crypto_scalarmult_base`,
    /// which uses the ladder on processors with AVX.
    static func x25519PublicKey(of scalar: RawSpan) -> [UInt8] {
        var point = [UInt8](repeating: 0, count: X25519PublicKey.byteCount)
        unsafe scalar.withBytePointer { scalar, _ in
            // Clamps as RFC 7748 does. The code reports only a scalar of 32 zeros, valid once clamped: no clamped
            // scalar is a multiple of the group order, so the point is never neutral.
            _ = unsafe crypto_scalarmult_ed25519_base(&point, scalar)
        }
        return EdwardsPoint.montgomeryU(ofEncoded: point)
    }

    /// libsodium's return code reports the all-zero result.
    static func x25519(_ scalar: RawSpan, _ point: [UInt8], into output: inout MutableRawSpan) -> Bool {
        unsafe output.withMutableBytePointer { output, _ in
            unsafe scalar.withBytePointer { scalar, _ in unsafe crypto_scalarmult(output, scalar, point) == 0 }
        }
    }

    static func ed25519PublicKey(ofSeed seed: RawSpan) -> [UInt8] {
        var publicKey = [UInt8](repeating: 0, count: Ed25519PublicKey.byteCount)
        let secret = SecretBytes(byteCount: 64) { output in
            unsafe output.withMutableBytePointer { output, _ in
                unsafe seed.withBytePointer { seed, _ in
                    _ = unsafe crypto_sign_seed_keypair(&publicKey, output, seed)
                }
            }
        }
        // libsodium's private key is seed and public key, already known.
        _ = consume secret
        return publicKey
    }

    static func ed25519Signature(over message: [UInt8], secret: RawSpan) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Ed25519PublicKey.signatureByteCount)
        unsafe secret.withBytePointer { secret, _ in
            _ = unsafe crypto_sign_detached(&signature, nil, message, UInt64(message.count), secret)
        }
        return signature
    }

    static func ed25519IsValid(signature: [UInt8], over message: [UInt8], publicKey: [UInt8]) -> Bool {
        unsafe crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
    }
}

/// Selects implementations for this processor and opens the random source, once.
enum Sodium {
    /// Required before guarded memory or random bytes; cheap after the first call.
    static func initialize() { precondition(isInitialized, "libsodium could not be initialized") }

    private static let isInitialized = sodium_init() >= 0
}
#endif
