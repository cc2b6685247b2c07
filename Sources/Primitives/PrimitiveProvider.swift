/// Platform's cryptography: libsodium and OpenSSL on Linux, CryptoKit on Apple's platforms.
///
/// Keys are raw: RFC 7748 scalars and u-coordinates, RFC 8032 seeds and points. Callers check lengths; out of memory
/// ends the process.
protocol PrimitiveProvider {
    associatedtype SHA256State: HashState
    associatedtype SHA512State: HashState

    /// Zeroed memory for long-lived secrets, locked and fenced if possible.
    static func allocateGuarded(byteCount: Int) -> UnsafeMutableRawBufferPointer
    /// Zeroes first.
    static func releaseGuarded(_ bytes: UnsafeMutableRawBufferPointer)
    /// Zeroes, even under an optimizer.
    static func wipe(_ bytes: UnsafeMutableRawBufferPointer)
    /// Constant time, for equal lengths.
    static func areEqual(_ one: RawSpan, _ other: RawSpan) -> Bool

    static func fillWithRandom(_ output: inout MutableRawSpan)

    /// 32 bytes from 32.
    static func x25519PublicKey(of scalar: RawSpan) -> [UInt8]
    /// False for an all-zero result (RFC 7748 section 6.1).
    static func x25519(_ scalar: RawSpan, _ point: [UInt8], into output: inout MutableRawSpan) -> Bool

    static func ed25519PublicKey(ofSeed seed: RawSpan) -> [UInt8]
    /// 64 bytes, R then S; `secret` is 64 bytes, seed then public key.
    static func ed25519Signature(over message: [UInt8], secret: RawSpan) -> [UInt8]
    static func ed25519IsValid(signature: [UInt8], over message: [UInt8], publicKey: [UInt8]) -> Bool

    /// Throws `.notAPoint` unless it is an uncompressed point of P-256.
    static func checkP256Point(_ x963Representation: [UInt8]) throws(P256Error)
    /// 65 bytes; throws `.notAScalar` unless the scalar is in 1 ..< n.
    static func p256PublicKey(of scalar: borrowing SecretBytes) throws(P256Error) -> [UInt8]
    /// 32 bytes, the x-coordinate.
    static func p256SharedSecret(
        _ scalar: borrowing SecretBytes,
        _ x963Representation: [UInt8]
    ) throws(P256Error) -> SecretBytes

    /// Ciphertext, then the 16-byte tag.
    static func chaChaPolySeal(_ plaintext: [UInt8], key: RawSpan, nonce: [UInt8], aad: [UInt8]) -> [UInt8]
    /// Nil if the tag, the last 16 bytes, is wrong.
    static func chaChaPolyOpen(
        _ ciphertext: ArraySlice<UInt8>,
        key: RawSpan,
        nonce: [UInt8],
        aad: [UInt8]
    ) -> [UInt8]?
}

enum AESGCMDirection { case open, seal }

/// Hash in progress, with value semantics.
protocol HashState {
    init()
    mutating func update(_ bytes: RawSpan)
    /// Writes the digest; only `wipe` may follow.
    mutating func finish(into output: inout MutableRawSpan)
    /// Zeroes the state where accessible.
    mutating func wipe()
}
