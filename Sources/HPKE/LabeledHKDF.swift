internal import Primitives

/// `LabeledExtract` and `LabeledExpand` of RFC 9180 section 4 for one suite identifier. Everything goes into the HMAC in
/// parts: nothing secret is copied to stand beside a label.
struct LabeledHKDF: Sendable {
    private let suiteID: [UInt8]

    /// "KEM" ‖ I2OSP(kem_id, 2), for the key encapsulation (section 4.1).
    static let kem = LabeledHKDF(suiteID: Array("KEM".utf8) + bigEndian(CipherSuite.kemID))

    /// - Parameter suiteID: "KEM" and the KEM's number, or "HPKE" and all three.
    init(suiteID: [UInt8]) { self.suiteID = suiteID }

    /// - Parameters:
    ///   - salt: any length, empty included.
    ///   - label: ASCII.
    ///   - feed: gives the keying material.
    /// - Returns: 32 bytes.
    func extract(salt: RawSpan, label: StaticString, feed: (inout HMACSHA256) -> Void = { _ in }) -> SecretBytes {
        HKDFSHA256.extract(salt: salt) { code in
            code.update("HPKE-v1")
            code.update(suiteID)
            code.update(label)
            feed(&code)
        }
    }

    /// `LabeledExtract` without salt of something that everybody knows.
    ///
    /// - Returns: 32 bytes.
    func publicHash(label: StaticString, of bytes: [UInt8]) -> [UInt8] {
        extract(salt: RawSpan(), label: label) { $0.update(bytes) }.withBytes { Array(copying: $0) }
    }

    /// - Parameters:
    ///   - pseudorandomKey: 32 bytes.
    ///   - label: ASCII.
    ///   - byteCount: 0 ... 8,160.
    ///   - feed: gives `info`.
    /// - Returns: `byteCount` bytes.
    /// - Throws: `.exportTooLong`, the only caller without a constant length being the exporter.
    func expand(
        _ pseudorandomKey: borrowing SecretBytes,
        label: StaticString,
        byteCount: Int,
        feed: (inout HMACSHA256) -> Void
    ) throws(HPKEError) -> SecretBytes {
        guard let length = UInt16(exactly: byteCount) else { throw .exportTooLong }
        do {
            return try HKDFSHA256.expand(pseudorandomKey: pseudorandomKey, byteCount: byteCount) { code in
                code.update(bigEndian(length))
                code.update("HPKE-v1")
                code.update(suiteID)
                code.update(label)
                feed(&code)
            }
        } catch {
            throw .exportTooLong
        }
    }
}

/// I2OSP(value, 2).
func bigEndian(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
}
