extension HPKE {
    /// cryptokit/hpke/kem
    public enum KEM: CaseIterable, Hashable, Sendable {
        /// cryptokit/hpke/kem/p256_hkdf_sha256
        case P256_HKDF_SHA256
        /// cryptokit/hpke/kem/p384_hkdf_sha384
        case P384_HKDF_SHA384
        /// cryptokit/hpke/kem/p521_hkdf_sha512
        case P521_HKDF_SHA512
        /// cryptokit/hpke/kem/curve25519_hkdf_sha256
        case Curve25519_HKDF_SHA256

        var number: UInt16 {
            switch self {
            case .P256_HKDF_SHA256: 0x10
            case .P384_HKDF_SHA384: 0x11
            case .P521_HKDF_SHA512: 0x12
            case .Curve25519_HKDF_SHA256: 0x20
            }
        }
    }

    /// cryptokit/hpke/kdf
    public enum KDF: CaseIterable, Hashable, Sendable {
        /// cryptokit/hpke/kdf/hkdf_sha256
        case HKDF_SHA256
        /// cryptokit/hpke/kdf/hkdf_sha384
        case HKDF_SHA384
        /// cryptokit/hpke/kdf/hkdf_sha512
        case HKDF_SHA512

        var number: UInt16 {
            switch self {
            case .HKDF_SHA256: 1
            case .HKDF_SHA384: 2
            case .HKDF_SHA512: 3
            }
        }
    }

    /// cryptokit/hpke/aead
    public enum AEAD: CaseIterable, Hashable, Sendable {
        /// cryptokit/hpke/aead/aes_gcm_128
        case AES_GCM_128
        /// cryptokit/hpke/aead/aes_gcm_256
        case AES_GCM_256
        /// cryptokit/hpke/aead/chachapoly
        case chaChaPoly
        /// cryptokit/hpke/aead/exportonly
        case exportOnly

        var number: UInt16 {
            switch self {
            case .AES_GCM_128: 1
            case .AES_GCM_256: 2
            case .chaChaPoly: 3
            case .exportOnly: 0xFFFF
            }
        }

        var keyByteCount: Int {
            switch self {
            case .AES_GCM_128: 16
            case .AES_GCM_256, .chaChaPoly: 32
            case .exportOnly: 0
            }
        }
    }

    /// cryptokit/hpke/ciphersuite
    public struct Ciphersuite: Sendable {
        /// cryptokit/hpke/ciphersuite/p256_sha256_aes_gcm_256
        public static let P256_SHA256_AES_GCM_256 = Ciphersuite(
            kem: .P256_HKDF_SHA256,
            kdf: .HKDF_SHA256,
            aead: .AES_GCM_256
        )
        /// cryptokit/hpke/ciphersuite/curve25519_sha256_chachapoly
        public static let Curve25519_SHA256_ChachaPoly = Ciphersuite(
            kem: .Curve25519_HKDF_SHA256,
            kdf: .HKDF_SHA256,
            aead: .chaChaPoly
        )
        /// cryptokit/hpke/ciphersuite/p384_sha384_aes_gcm_256
        @available(*, unavailable, message: "the stand-in for CryptoKit has no P-384")
        public static var P384_SHA384_AES_GCM_256: Ciphersuite { P256_SHA256_AES_GCM_256 }
        /// cryptokit/hpke/ciphersuite/p521_sha512_aes_gcm_256
        @available(*, unavailable, message: "the stand-in for CryptoKit has no P-521")
        public static var P521_SHA512_AES_GCM_256: Ciphersuite { P256_SHA256_AES_GCM_256 }
        /// cryptokit/hpke/ciphersuite/xwingmlkem768x25519_sha256_aes_gcm_256
        @available(*, unavailable, message: "OpenSSL 3.0 and libsodium 1.0.18 have no ML-KEM")
        public static var XWingMLKEM768X25519_SHA256_AES_GCM_256: Ciphersuite { P256_SHA256_AES_GCM_256 }

        /// cryptokit/hpke/ciphersuite/kem
        public let kem: KEM
        /// cryptokit/hpke/ciphersuite/kdf
        public let kdf: KDF
        /// cryptokit/hpke/ciphersuite/aead
        public let aead: AEAD

        /// cryptokit/hpke/ciphersuite/init(kem:kdf:aead:)
        public init(kem: KEM, kdf: KDF, aead: AEAD) {
            self.kem = kem
            self.kdf = kdf
            self.aead = aead
        }
    }
}

/// cryptokit/xwingmlkem768x25519
@available(*, unavailable, message: "OpenSSL 3.0 and libsodium 1.0.18 have no ML-KEM")
public enum XWingMLKEM768X25519 {}
