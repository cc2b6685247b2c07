public import Foundation

/// cryptokit/chachapoly
public enum ChaChaPoly {
    /// cryptokit/chachapoly/nonce
    public struct Nonce: ContiguousBytes, Sequence, Sendable {
        let bytes: [UInt8]

        /// cryptokit/chachapoly/nonce/init()
        public init() {
            var generator = SystemRandomNumberGenerator()
            bytes = (0..<AEADCipher.nonceByteCount).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
        }

        /// cryptokit/chachapoly/nonce/init(data:)
        public init<D: DataProtocol>(data: D) throws {
            guard data.count == AEADCipher.nonceByteCount else { throw CryptoKitError.incorrectParameterSize }
            bytes = Array(data)
        }

        /// cryptokit/chachapoly/nonce/withunsafebytes(_:)
        public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            try unsafe bytes.withUnsafeBytes(body)
        }

        /// cryptokit/chachapoly/nonce/makeiterator()
        public func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }
    }

    /// cryptokit/chachapoly/sealedbox
    public struct SealedBox: Sendable {
        /// cryptokit/chachapoly/sealedbox/nonce
        public let nonce: Nonce
        /// cryptokit/chachapoly/sealedbox/ciphertext
        public let ciphertext: Data
        /// cryptokit/chachapoly/sealedbox/tag
        public let tag: Data

        /// cryptokit/chachapoly/sealedbox/combined
        public var combined: Data { Data(nonce.bytes) + ciphertext + tag }

        /// cryptokit/chachapoly/sealedbox/init(combined:)
        public init<D: DataProtocol>(combined: D) throws {
            let bytes = Array(combined)
            guard bytes.count >= AEADCipher.nonceByteCount + AEADCipher.tagByteCount else {
                throw CryptoKitError.incorrectParameterSize
            }
            nonce = try Nonce(data: bytes.prefix(AEADCipher.nonceByteCount))
            ciphertext = Data(bytes.dropFirst(AEADCipher.nonceByteCount).dropLast(AEADCipher.tagByteCount))
            tag = Data(bytes.suffix(AEADCipher.tagByteCount))
        }

        /// cryptokit/chachapoly/sealedbox/init(nonce:ciphertext:tag:)
        public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws {
            guard tag.count == AEADCipher.tagByteCount else { throw CryptoKitError.incorrectParameterSize }
            self.nonce = nonce
            self.ciphertext = Data(ciphertext)
            self.tag = Data(tag)
        }
    }

    /// cryptokit/chachapoly/seal(_:using:nonce:authenticating:)
    public static func seal<Plaintext: DataProtocol, AuthenticatedData: DataProtocol>(
        _ message: Plaintext,
        using key: SymmetricKey,
        nonce: Nonce? = nil,
        authenticating authenticatedData: AuthenticatedData
    ) throws -> SealedBox {
        let nonce = nonce ?? Nonce()
        let sealed = try AEADCipher.chaChaPoly.seal(
            Array(message),
            key: key,
            nonce: nonce.bytes,
            aad: Array(authenticatedData)
        )
        return try SealedBox(nonce: nonce, ciphertext: sealed.ciphertext, tag: sealed.tag)
    }

    /// cryptokit/chachapoly/seal(_:using:nonce:)
    public static func seal<Plaintext: DataProtocol>(
        _ message: Plaintext,
        using key: SymmetricKey,
        nonce: Nonce? = nil
    ) throws -> SealedBox {
        try seal(message, using: key, nonce: nonce, authenticating: Data())
    }

    /// cryptokit/chachapoly/open(_:using:authenticating:)
    public static func open<AuthenticatedData: DataProtocol>(
        _ sealedBox: SealedBox,
        using key: SymmetricKey,
        authenticating authenticatedData: AuthenticatedData
    ) throws -> Data {
        Data(
            try AEADCipher.chaChaPoly.open(
                Array(sealedBox.ciphertext),
                tag: Array(sealedBox.tag),
                key: key,
                nonce: sealedBox.nonce.bytes,
                aad: Array(authenticatedData)
            )
        )
    }

    /// cryptokit/chachapoly/open(_:using:)
    public static func open(_ sealedBox: SealedBox, using key: SymmetricKey) throws -> Data {
        try open(sealedBox, using: key, authenticating: Data())
    }
}
