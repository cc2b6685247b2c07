/// DHKEM(X25519, HKDF-SHA256) and HKDF-SHA256 with one of the AEADs.
package struct CipherSuite: Sendable {
    /// KEM identifier (RFC 9180 section 7.1).
    static let kemID: UInt16 = 0x0020
    /// KDF identifier (section 7.2).
    static let kdfID: UInt16 = 0x0001

    /// What protocol v1 seals with.
    package static let chaCha20Poly1305 = CipherSuite(.chaCha20Poly1305)
    package static let aes128GCM = CipherSuite(.aes128GCM)
    package static let aes256GCM = CipherSuite(.aes256GCM)
    package static let exportOnly = CipherSuite(.exportOnly)

    package let aead: AEAD
    /// The labels of the key schedule (section 5.1).
    let hkdf: LabeledHKDF
    /// `psk_id_hash` of no PSK: the same for every message, so computed once. 32 bytes.
    let emptyPSKIDHash: [UInt8]

    private init(_ aead: AEAD) {
        self.aead = aead
        hkdf = LabeledHKDF(suiteID: Array("HPKE".utf8) + [Self.kemID, Self.kdfID, aead.rawValue].flatMap(bigEndian))
        emptyPSKIDHash = hkdf.publicHash(label: "psk_id_hash", of: [])
    }
}
