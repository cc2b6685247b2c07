internal import Primitives

/// The AEAD of a suite, by its registered number (RFC 9180 section 7.3).
package enum AEAD: UInt16, Sendable, CaseIterable {
    case aes128GCM = 0x0001
    case aes256GCM = 0x0002
    case chaCha20Poly1305 = 0x0003
    /// No messages, exported secrets only.
    case exportOnly = 0xFFFF

    /// Nk.
    var keyByteCount: Int {
        switch self {
        case .aes128GCM: 16
        case .aes256GCM, .chaCha20Poly1305: 32
        case .exportOnly: 0
        }
    }

    /// Nn.
    var nonceByteCount: Int { self == .exportOnly ? 0 : 12 }

    /// - Returns: plaintext + 16 bytes.
    /// - Throws: `.exportOnly`.
    func seal(
        _ plaintext: [UInt8],
        key: borrowing SecretBytes,
        nonce: [UInt8],
        aad: [UInt8]
    ) throws(HPKEError) -> [UInt8] {
        switch self {
        case .aes128GCM, .aes256GCM: return AESGCM.seal(plaintext, key: key, nonce: nonce, aad: aad)
        case .chaCha20Poly1305: return ChaChaPoly.seal(plaintext, key: key, nonce: nonce, aad: aad)
        case .exportOnly: throw .exportOnly
        }
    }

    /// - Returns: ciphertext - 16 bytes.
    /// - Throws: `.openFailed`, `.exportOnly`.
    func open(
        _ ciphertext: ArraySlice<UInt8>,
        key: borrowing SecretBytes,
        nonce: [UInt8],
        aad: [UInt8]
    ) throws(HPKEError) -> [UInt8] {
        do {
            switch self {
            case .aes128GCM, .aes256GCM: return try AESGCM.open(ciphertext, key: key, nonce: nonce, aad: aad)
            case .chaCha20Poly1305: return try ChaChaPoly.open(ciphertext, key: key, nonce: nonce, aad: aad)
            case .exportOnly: break
            }
        } catch {
            throw .openFailed
        }
        throw .exportOnly
    }
}
