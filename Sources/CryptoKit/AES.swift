public import Foundation

/// cryptokit/aes
public enum AES {}

extension AES {
    /// cryptokit/aes/gcm
    public enum GCM {
        /// cryptokit/aes/gcm/nonce
        public struct Nonce: ContiguousBytes, Sequence, Sendable {
            let bytes: [UInt8]

            /// cryptokit/aes/gcm/nonce/init()
            public init() {
                var generator = SystemRandomNumberGenerator()
                bytes = (0..<AEADCipher.nonceByteCount).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
            }

            /// cryptokit/aes/gcm/nonce/init(data:)
            public init<D: DataProtocol>(data: D) throws {
                guard data.count >= AEADCipher.nonceByteCount else { throw CryptoKitError.incorrectParameterSize }
                bytes = Array(data)
            }

            /// cryptokit/aes/gcm/nonce/withunsafebytes(_:)
            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
                try unsafe bytes.withUnsafeBytes(body)
            }

            /// cryptokit/aes/gcm/nonce/makeiterator()
            public func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }
        }

        /// cryptokit/aes/gcm/sealedbox
        public struct SealedBox: Sendable {
            /// cryptokit/aes/gcm/sealedbox/nonce
            public let nonce: Nonce
            /// cryptokit/aes/gcm/sealedbox/ciphertext
            public let ciphertext: Data
            /// cryptokit/aes/gcm/sealedbox/tag
            public let tag: Data

            /// cryptokit/aes/gcm/sealedbox/combined
            public var combined: Data? {
                nonce.bytes.count == AEADCipher.nonceByteCount ? Data(nonce.bytes) + ciphertext + tag : nil
            }

            /// cryptokit/aes/gcm/sealedbox/init(combined:)
            public init<D: DataProtocol>(combined: D) throws {
                let bytes = Array(combined)
                guard bytes.count >= AEADCipher.nonceByteCount + AEADCipher.tagByteCount else {
                    throw CryptoKitError.incorrectParameterSize
                }
                nonce = try Nonce(data: bytes.prefix(AEADCipher.nonceByteCount))
                ciphertext = Data(bytes.dropFirst(AEADCipher.nonceByteCount).dropLast(AEADCipher.tagByteCount))
                tag = Data(bytes.suffix(AEADCipher.tagByteCount))
            }

            /// cryptokit/aes/gcm/sealedbox/init(nonce:ciphertext:tag:)
            public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws {
                guard tag.count == AEADCipher.tagByteCount else { throw CryptoKitError.incorrectParameterSize }
                self.nonce = nonce
                self.ciphertext = Data(ciphertext)
                self.tag = Data(tag)
            }
        }

        /// cryptokit/aes/gcm/seal(_:using:nonce:authenticating:)
        public static func seal<Plaintext: DataProtocol, AuthenticatedData: DataProtocol>(
            _ message: Plaintext,
            using key: SymmetricKey,
            nonce: Nonce? = nil,
            authenticating authenticatedData: AuthenticatedData
        ) throws -> SealedBox {
            let nonce = nonce ?? Nonce()
            let sealed = try AEADCipher.aesGCM.seal(
                Array(message),
                key: key,
                nonce: nonce.bytes,
                aad: Array(authenticatedData)
            )
            return try SealedBox(nonce: nonce, ciphertext: sealed.ciphertext, tag: sealed.tag)
        }

        /// cryptokit/aes/gcm/seal(_:using:nonce:)
        public static func seal<Plaintext: DataProtocol>(
            _ message: Plaintext,
            using key: SymmetricKey,
            nonce: Nonce? = nil
        ) throws -> SealedBox {
            try seal(message, using: key, nonce: nonce, authenticating: Data())
        }

        /// cryptokit/aes/gcm/open(_:using:authenticating:)
        public static func open<AuthenticatedData: DataProtocol>(
            _ sealedBox: SealedBox,
            using key: SymmetricKey,
            authenticating authenticatedData: AuthenticatedData
        ) throws -> Data {
            Data(
                try AEADCipher.aesGCM.open(
                    Array(sealedBox.ciphertext),
                    tag: Array(sealedBox.tag),
                    key: key,
                    nonce: sealedBox.nonce.bytes,
                    aad: Array(authenticatedData)
                )
            )
        }

        /// cryptokit/aes/gcm/open(_:using:)
        public static func open(_ sealedBox: SealedBox, using key: SymmetricKey) throws -> Data {
            try open(sealedBox, using: key, authenticating: Data())
        }
    }
}
