internal import Foundation

/// HKDF with RFC 9180's labels (section 4).
struct LabeledKDF {
    private let kdf: HPKE.KDF
    private let suite: [UInt8]

    init(_ kdf: HPKE.KDF, suite: [UInt8]) {
        self.kdf = kdf
        self.suite = suite
    }

    var byteCount: Int {
        switch kdf {
        case .HKDF_SHA256: SHA256.byteCount
        case .HKDF_SHA384: SHA384.byteCount
        case .HKDF_SHA512: SHA512.byteCount
        }
    }

    func extract(salt: [UInt8], _ label: String, _ input: [UInt8]) -> SymmetricKey {
        let input = SymmetricKey(data: Array("HPKE-v1".utf8) + suite + Array(label.utf8) + input)
        return switch kdf {
        case .HKDF_SHA256: SymmetricKey(data: HKDF<SHA256>.extract(inputKeyMaterial: input, salt: salt))
        case .HKDF_SHA384: SymmetricKey(data: HKDF<SHA384>.extract(inputKeyMaterial: input, salt: salt))
        case .HKDF_SHA512: SymmetricKey(data: HKDF<SHA512>.extract(inputKeyMaterial: input, salt: salt))
        }
    }

    func expand(_ key: SymmetricKey, _ label: String, _ info: [UInt8], byteCount: Int) -> SymmetricKey {
        let info = bigEndian(UInt16(byteCount)) + Array("HPKE-v1".utf8) + suite + Array(label.utf8) + info
        return switch kdf {
        case .HKDF_SHA256: HKDF<SHA256>.expand(pseudoRandomKey: key, info: info, outputByteCount: byteCount)
        case .HKDF_SHA384: HKDF<SHA384>.expand(pseudoRandomKey: key, info: info, outputByteCount: byteCount)
        case .HKDF_SHA512: HKDF<SHA512>.expand(pseudoRandomKey: key, info: info, outputByteCount: byteCount)
        }
    }
}

/// Key schedule and messages of RFC 9180 sections 5.1 to 5.3.
struct HPKEContext {
    enum Mode: UInt8 { case base, psk, auth, authPSK }

    private let aead: HPKE.AEAD
    private let kdf: LabeledKDF
    private let key: SymmetricKey
    private let baseNonce: [UInt8]
    private let exporterSecret: SymmetricKey
    private var sequence: UInt64 = 0

    init(
        _ suite: HPKE.Ciphersuite,
        mode: Mode,
        _ secret: SymmetricKey,
        _ info: Data,
        _ psk: SymmetricKey? = nil,
        _ pskID: Data = Data()
    ) throws(HPKE.Errors) {
        guard psk == nil || psk?.bitCount != 0 && !pskID.isEmpty else { throw .inconsistentPSKInputs }
        aead = suite.aead
        let numbers = bigEndian(suite.kem.number) + bigEndian(suite.kdf.number) + bigEndian(suite.aead.number)
        let kdf = LabeledKDF(suite.kdf, suite: Array("HPKE".utf8) + numbers)
        self.kdf = kdf
        let idHash = kdf.extract(salt: [], "psk_id_hash", Array(pskID))
        let infoHash = kdf.extract(salt: [], "info_hash", Array(info))
        let context = [mode.rawValue] + Self.bytes(idHash) + Self.bytes(infoHash)
        let scheduled = kdf.extract(salt: Self.bytes(secret), "secret", psk.map { Self.bytes($0) } ?? [])
        let isExportOnly = suite.aead == .exportOnly
        key = isExportOnly ? secret : kdf.expand(scheduled, "key", context, byteCount: suite.aead.keyByteCount)
        baseNonce =
            isExportOnly
            ? [] : Self.bytes(kdf.expand(scheduled, "base_nonce", context, byteCount: AEADCipher.nonceByteCount))
        exporterSecret = kdf.expand(scheduled, "exp", context, byteCount: kdf.byteCount)
    }

    mutating func seal(_ message: [UInt8], aad: [UInt8]) throws -> Data {
        let sealed = try cipher().seal(message, key: key, nonce: nonce(), aad: aad)
        sequence += 1
        return Data(sealed.ciphertext + sealed.tag)
    }

    mutating func open(_ ciphertext: [UInt8], aad: [UInt8]) throws -> Data {
        guard ciphertext.count >= AEADCipher.tagByteCount else { throw HPKE.Errors.ciphertextTooShort }
        let message = try cipher().open(
            Array(ciphertext.dropLast(AEADCipher.tagByteCount)),
            tag: Array(ciphertext.suffix(AEADCipher.tagByteCount)),
            key: key,
            nonce: nonce(),
            aad: aad
        )
        sequence += 1
        return Data(message)
    }

    func export(_ context: [UInt8], byteCount: Int) -> SymmetricKey {
        kdf.expand(exporterSecret, "sec", context, byteCount: byteCount)
    }

    private func cipher() throws(HPKE.Errors) -> AEADCipher {
        switch aead {
        case .AES_GCM_128, .AES_GCM_256: .aesGCM
        case .chaChaPoly: .chaChaPoly
        case .exportOnly: throw .exportOnlyMode
        }
    }

    private func nonce() throws(HPKE.Errors) -> [UInt8] {
        guard sequence < .max else { throw .outOfRangeSequenceNumber }
        var nonce = baseNonce
        for index in 0..<8 { nonce[11 - index] ^= UInt8(truncatingIfNeeded: sequence >> (8 * index)) }
        return nonce
    }

    private static func bytes(_ key: SymmetricKey) -> [UInt8] { unsafe key.withUnsafeBytes { unsafe Array($0) } }
}
