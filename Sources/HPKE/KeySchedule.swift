internal import Primitives

/// What the key schedule yields: the AEAD key, the base nonce and the exporter secret (RFC 9180 section 5.1).
struct KeySchedule: ~Copyable {
    /// mode_base; the other modes put other bytes here.
    private static let modeBase: UInt8 = 0x00

    /// 32 bytes.
    let key: SecretBytes
    /// 12 bytes.
    let baseNonce: [UInt8]
    /// 32 bytes.
    let exporterSecret: SecretBytes

    /// - Source: RFC 9180 section 5.1, `KeySchedule` with empty `psk` and `psk_id`.
    init(sharedSecret: borrowing SecretBytes, info: [UInt8]) throws(HPKEError) {
        let hkdf = LabeledHKDF.hpke
        let pskIDHash = hkdf.extract(salt: [], label: "psk_id_hash", keyingMaterial: RawSpan())
        let infoHash = hkdf.extract(salt: [], label: "info_hash", keyingMaterial: unsafe info.span.bytes)
        // Both hashes are of public bytes: copying them out betrays nothing.
        let context =
            [Self.modeBase]
            + pskIDHash.withBytes { Array(copying: $0) } + infoHash.withBytes { Array(copying: $0) }
        let secret = sharedSecret.withBytes { salt in
            hkdf.extract(salt: salt, label: "secret", keyingMaterial: RawSpan())
        }
        let key = try hkdf.expand(secret, label: "key", info: context, byteCount: ChaChaPoly.keyByteCount)
        let nonce = try hkdf.expand(
            secret,
            label: "base_nonce",
            info: context,
            byteCount: ChaChaPoly.nonceByteCount
        )
        let exporterSecret = try hkdf.expand(secret, label: "exp", info: context, byteCount: 32)
        // A nonce need not be secret (RFC 8439 section 2.8); it is an array so that the counter can be mixed in.
        baseNonce = nonce.withBytes { Array(copying: $0) }
        self.exporterSecret = exporterSecret
        self.key = key
    }
}
