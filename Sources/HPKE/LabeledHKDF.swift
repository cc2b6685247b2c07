internal import Primitives

/// `LabeledExtract` and `LabeledExpand` of RFC 9180 section 4 for one suite identifier.
struct LabeledHKDF {
    private let suiteID: [UInt8]

    /// "KEM" ‖ I2OSP(kem_id, 2), for the key encapsulation (section 4.1).
    static let kem = LabeledHKDF(suiteID: Array("KEM".utf8) + bigEndian(HPKE.kemID))

    /// "HPKE" ‖ kem_id ‖ kdf_id ‖ aead_id, for the key schedule (section 5.1).
    static let hpke = LabeledHKDF(
        suiteID: Array("HPKE".utf8) + bigEndian(HPKE.kemID) + bigEndian(HPKE.kdfID) + bigEndian(HPKE.aeadID)
    )

    /// - Returns: 32 bytes.
    func extract(salt: RawSpan, label: String, keyingMaterial: RawSpan) -> SecretBytes {
        HKDFSHA256.extract(salt: salt) { code in
            code.update(Self.version)
            code.update(suiteID)
            code.update(Array(label.utf8))
            code.update(keyingMaterial)
        }
    }

    func extract(salt: [UInt8], label: String, keyingMaterial: RawSpan) -> SecretBytes {
        extract(salt: unsafe salt.span.bytes, label: label, keyingMaterial: keyingMaterial)
    }

    /// - Returns: `byteCount` bytes, 1 ... 8,160.
    /// - Throws: `.exportTooLong`, the only caller without a constant length being the exporter.
    func expand(
        _ pseudorandomKey: borrowing SecretBytes,
        label: String,
        info: [UInt8],
        byteCount: Int
    ) throws(HPKEError) -> SecretBytes {
        guard byteCount <= HKDFSHA256.outputByteCountMax else { throw .exportTooLong }
        let labeledInfo = bigEndian(UInt16(byteCount)) + Self.version + suiteID + Array(label.utf8) + info
        do {
            return try HKDFSHA256.expand(
                pseudorandomKey: pseudorandomKey,
                info: labeledInfo,
                byteCount: byteCount
            )
        } catch {
            throw .exportTooLong
        }
    }

    private static let version = Array("HPKE-v1".utf8)
}

/// I2OSP(value, 2).
private func bigEndian(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
}
