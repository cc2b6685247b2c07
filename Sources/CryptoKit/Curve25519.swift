internal import COpenSSL
public import Foundation

/// cryptokit/curve25519
public enum Curve25519 {}

extension Curve25519 {
    /// cryptokit/curve25519/keyagreement
    public enum KeyAgreement {
        /// cryptokit/curve25519/keyagreement/publickey
        public struct PublicKey: Sendable {
            private let bytes: Data

            /// cryptokit/curve25519/keyagreement/publickey/init(rawrepresentation:)
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {
                bytes = unsafe rawRepresentation.withUnsafeBytes { unsafe Data($0) }
                guard bytes.count == RawKey.byteCount else { throw CryptoKitError.incorrectKeySize }
            }

            /// cryptokit/curve25519/keyagreement/publickey/rawrepresentation
            public var rawRepresentation: Data { bytes }
        }

        /// cryptokit/curve25519/keyagreement/privatekey
        public struct PrivateKey: DiffieHellmanKeyAgreement, Sendable {
            private let bytes: KeyBytes

            /// cryptokit/curve25519/keyagreement/privatekey/init()
            public init() { bytes = KeyBytes(randomByteCount: RawKey.byteCount) }

            /// cryptokit/curve25519/keyagreement/privatekey/init(rawrepresentation:)
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {
                bytes = unsafe rawRepresentation.withUnsafeBytes { unsafe KeyBytes(copying: $0) }
                guard bytes.count == RawKey.byteCount else { throw CryptoKitError.incorrectKeySize }
            }

            /// cryptokit/curve25519/keyagreement/privatekey/rawrepresentation
            public var rawRepresentation: Data { unsafe bytes.withUnsafeBytes { unsafe Data($0) } }

            /// cryptokit/curve25519/keyagreement/privatekey/publickey
            public var publicKey: PublicKey {
                do {
                    let key = try RawKey(privateKey: bytes, EVP_PKEY_X25519)
                    return try PublicKey(rawRepresentation: key.publicBytes)
                } catch {
                    preconditionFailure("OpenSSL could not derive an X25519 public key")
                }
            }

            /// cryptokit/curve25519/keyagreement/privatekey/sharedsecretfromkeyagreement(with:)
            public func sharedSecretFromKeyAgreement(with publicKeyShare: PublicKey) throws -> SharedSecret {
                let own = try RawKey(privateKey: bytes, EVP_PKEY_X25519)
                let peer = try RawKey(publicKey: Array(publicKeyShare.rawRepresentation), EVP_PKEY_X25519)
                return SharedSecret(try own.sharedSecret(with: peer))
            }
        }
    }

    /// cryptokit/curve25519/signing
    public enum Signing {
        /// cryptokit/curve25519/signing/publickey
        public struct PublicKey: Sendable {
            private let bytes: Data

            /// cryptokit/curve25519/signing/publickey/init(rawrepresentation:)
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {
                bytes = unsafe rawRepresentation.withUnsafeBytes { unsafe Data($0) }
                guard bytes.count == RawKey.byteCount else { throw CryptoKitError.incorrectKeySize }
            }

            /// cryptokit/curve25519/signing/publickey/rawrepresentation
            public var rawRepresentation: Data { bytes }

            /// cryptokit/curve25519/signing/publickey/isvalidsignature(_:for:)
            public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool {
                guard let key = try? RawKey(publicKey: Array(bytes), EVP_PKEY_ED25519) else { return false }
                return key.isValid(Array(signature), over: Array(data))
            }
        }

        /// cryptokit/curve25519/signing/privatekey
        public struct PrivateKey: Sendable {
            private let seed: KeyBytes

            /// cryptokit/curve25519/signing/privatekey/init()
            public init() { seed = KeyBytes(randomByteCount: RawKey.byteCount) }

            /// cryptokit/curve25519/signing/privatekey/init(rawrepresentation:)
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {
                seed = unsafe rawRepresentation.withUnsafeBytes { unsafe KeyBytes(copying: $0) }
                guard seed.count == RawKey.byteCount else { throw CryptoKitError.incorrectKeySize }
            }

            /// cryptokit/curve25519/signing/privatekey/rawrepresentation
            public var rawRepresentation: Data { unsafe seed.withUnsafeBytes { unsafe Data($0) } }

            /// cryptokit/curve25519/signing/privatekey/publickey
            public var publicKey: PublicKey {
                do {
                    let key = try RawKey(privateKey: seed, EVP_PKEY_ED25519)
                    return try PublicKey(rawRepresentation: key.publicBytes)
                } catch {
                    preconditionFailure("OpenSSL could not derive an Ed25519 public key")
                }
            }

            /// cryptokit/curve25519/signing/privatekey/signature(for:)
            public func signature<D: DataProtocol>(for data: D) throws -> Data {
                let publicKey = Array(publicKey.rawRepresentation)
                return Data(RandomizedEd25519.signature(over: Array(data), seed: seed, publicKey: publicKey))
            }
        }
    }
}
