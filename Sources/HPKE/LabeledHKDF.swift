internal import Primitives

/// `LabeledExtract` and `LabeledExpand` of RFC 9180 section 4. The HMAC is fed in parts, so no secret is copied beside
/// a label.
struct LabeledHKDF: Sendable {
    /// Section 4.1: DHKEM(X25519, HKDF-SHA256) is 0x0020.
    static let kem = LabeledHKDF(suiteID: Array("KEM".utf8) + [0x00, 0x20])
    /// Section 5.1: the KEM, HKDF-SHA256 (0x0001) and ChaCha20-Poly1305 (0x0003).
    static let hpke = LabeledHKDF(suiteID: Array("HPKE".utf8) + [0x00, 0x20, 0x00, 0x01, 0x00, 0x03])

    private let suiteID: [UInt8]

    /// 32 bytes from the keying material of `feed`.
    func extract(salt: RawSpan, label: StaticString, feed: (inout HMACSHA256) -> Void = { _ in }) -> SecretBytes {
        HKDFSHA256.extract(salt: salt) { code in
            code.update("HPKE-v1")
            code.update(suiteID)
            code.update(label)
            feed(&code)
        }
    }

    /// `LabeledExtract` of public bytes, without salt: 32 bytes.
    func publicHash(label: StaticString, of bytes: [UInt8]) -> [UInt8] {
        extract(salt: RawSpan(), label: label) { $0.update(bytes) }.withBytes { Array(copying: $0) }
    }

    /// 32 bytes or less, with `info` from `feed`.
    func expand(
        _ pseudorandomKey: borrowing SecretBytes,
        label: StaticString,
        byteCount: UInt8,
        feed: (inout HMACSHA256) -> Void
    ) -> SecretBytes {
        do {
            return try HKDFSHA256.expand(pseudorandomKey: pseudorandomKey, byteCount: Int(byteCount)) { code in
                code.update([0, byteCount])
                code.update("HPKE-v1")
                code.update(suiteID)
                code.update(label)
                feed(&code)
            }
        } catch {
            preconditionFailure("255 bytes are less than HKDF's most")
        }
    }
}
