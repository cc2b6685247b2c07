internal import Primitives

/// What the key schedule yields: the AEAD's key, the base nonce, and what exported secrets come from
/// (RFC 9180 section 5.1).
struct KeySchedule: ~Copyable {
    let suite: CipherSuite
    /// Nk bytes: none for the export-only AEAD.
    let key: SecretBytes
    /// Nn bytes. A nonce need not be secret (RFC 8439 section 2.8); it is an array so that the counter can be mixed in.
    let baseNonce: [UInt8]
    /// 32 bytes; the exporter secret is derived from it when asked for, which most contexts never are.
    let secret: SecretBytes
    /// mode ‖ psk_id_hash ‖ info_hash: 65 bytes, hashes of what both sides know.
    let context: [UInt8]

    /// For the modes without a PSK.
    init(
        _ suite: CipherSuite,
        _ mode: ModeID,
        sharedSecret: borrowing SecretBytes,
        info: [UInt8]
    ) throws(HPKEError) {
        let secret = sharedSecret.withBytes { suite.hkdf.extract(salt: $0, label: "secret") }
        try self.init(suite, mode, secret: secret, pskIDHash: suite.emptyPSKIDHash, info: info)
    }

    /// For the modes with one.
    init(
        _ suite: CipherSuite,
        _ mode: ModeID,
        sharedSecret: borrowing SecretBytes,
        info: [UInt8],
        psk: borrowing PreSharedKey
    ) throws(HPKEError) {
        let secret = psk.secret.withBytes { psk in
            sharedSecret.withBytes { suite.hkdf.extract(salt: $0, label: "secret") { $0.update(psk) } }
        }
        let pskIDHash = suite.hkdf.publicHash(label: "psk_id_hash", of: psk.id)
        try self.init(suite, mode, secret: secret, pskIDHash: pskIDHash, info: info)
    }

    private init(
        _ suite: CipherSuite,
        _ mode: ModeID,
        secret: consuming SecretBytes,
        pskIDHash: [UInt8],
        info: [UInt8]
    ) throws(HPKEError) {
        let context = [mode.rawValue] + pskIDHash + suite.hkdf.publicHash(label: "info_hash", of: info)
        let (keyByteCount, nonceByteCount) = (suite.aead.keyByteCount, suite.aead.nonceByteCount)
        let key = try suite.hkdf.expand(secret, label: "key", byteCount: keyByteCount) { $0.update(context) }
        let nonce = try suite.hkdf.expand(secret, label: "base_nonce", byteCount: nonceByteCount) {
            $0.update(context)
        }
        baseNonce = nonce.withBytes { Array(copying: $0) }
        self.suite = suite
        self.key = key
        self.secret = secret
        self.context = context
    }

    /// - Returns: 32 bytes.
    func exporterSecret() throws(HPKEError) -> SecretBytes {
        try suite.hkdf.expand(secret, label: "exp", byteCount: 32) { $0.update(context) }
    }
}
