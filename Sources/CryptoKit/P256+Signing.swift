public import Foundation

extension P256 {
    /// cryptokit/p256/signing
    public enum Signing {
        /// cryptokit/p256/signing/publickey
        public struct PublicKey: Sendable {
            private let point: [UInt8]

            fileprivate init(point: [UInt8]) { self.point = point }

            /// cryptokit/p256/signing/publickey/init(rawrepresentation:)
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {
                let bytes = unsafe rawRepresentation.withUnsafeBytes { unsafe Array($0) }
                guard bytes.count == P256Point.x963ByteCount - 1 else { throw CryptoKitError.incorrectKeySize }
                point = try P256Point([0x04] + bytes).encoding()
            }

            /// cryptokit/p256/signing/publickey/init(compactrepresentation:)
            public init<D: ContiguousBytes>(compactRepresentation: D) throws {
                let bytes = unsafe compactRepresentation.withUnsafeBytes { unsafe Array($0) }
                guard bytes.count == P256Point.byteCount else { throw CryptoKitError.incorrectKeySize }
                let even = try P256Point([0x02] + bytes).encoding()
                let odd = try P256Point([0x03] + bytes).encoding()
                point = even.lexicographicallyPrecedes(odd) ? even : odd
            }

            /// cryptokit/p256/signing/publickey/init(x963representation:)
            public init<D: ContiguousBytes>(x963Representation: D) throws {
                let bytes = unsafe x963Representation.withUnsafeBytes { unsafe Array($0) }
                guard bytes.count == P256Point.x963ByteCount else { throw CryptoKitError.incorrectKeySize }
                point = try P256Point(bytes).encoding()
            }

            /// cryptokit/p256/signing/publickey/init(compressedrepresentation:)
            public init<D: ContiguousBytes>(compressedRepresentation: D) throws {
                let bytes = unsafe compressedRepresentation.withUnsafeBytes { unsafe Array($0) }
                guard bytes.count == P256Point.compressedByteCount else { throw CryptoKitError.incorrectKeySize }
                point = try P256Point(bytes).encoding()
            }

            /// cryptokit/p256/signing/publickey/init(pemrepresentation:)
            public init(pemRepresentation: String) throws {
                point = try P256Encoding.point(der: P256Encoding.der(pem: pemRepresentation, ["PUBLIC KEY"]))
            }

            /// cryptokit/p256/signing/publickey/init(derrepresentation:)
            public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws where Bytes.Element == UInt8 {
                point = try P256Encoding.point(der: Array(derRepresentation))
            }

            /// cryptokit/p256/signing/publickey/rawrepresentation
            public var rawRepresentation: Data { Data(point.dropFirst()) }

            /// cryptokit/p256/signing/publickey/compactrepresentation
            public var compactRepresentation: Data? {
                let x = Data(point[1...P256Point.byteCount])
                let other = try? PublicKey(compactRepresentation: x)
                return other?.point == point ? x : nil
            }

            /// cryptokit/p256/signing/publickey/x963representation
            public var x963Representation: Data { Data(point) }

            /// cryptokit/p256/signing/publickey/compressedrepresentation
            public var compressedRepresentation: Data {
                let sign: UInt8 = point.last?.isMultiple(of: 2) == true ? 0x02 : 0x03
                return Data([sign] + point[1...P256Point.byteCount])
            }

            /// cryptokit/p256/signing/publickey/derrepresentation
            public var derRepresentation: Data { Data(P256Encoding.publicDER(point)) }

            /// cryptokit/p256/signing/publickey/pemrepresentation
            public var pemRepresentation: String { P256Encoding.pem(Array(derRepresentation), "PUBLIC KEY") }

            /// cryptokit/p256/signing/publickey/isvalidsignature(_:for:)
            public func isValidSignature<D: Digest>(_ signature: ECDSASignature, for digest: D) -> Bool {
                P256ECDSA.isValid(signature.rawRepresentation, over: Array(digest), der: Array(derRepresentation))
            }

            /// cryptokit/p256/signing/publickey/isvalidsignature(_:for:)
            public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool {
                isValidSignature(signature, for: SHA256.hash(data: data))
            }
        }

        /// cryptokit/p256/signing/privatekey
        public struct PrivateKey: Sendable {
            private let scalar: KeyBytes

            /// cryptokit/p256/signing/privatekey/publickey
            public let publicKey: PublicKey

            private init(scalar: KeyBytes) throws {
                self.scalar = scalar
                publicKey = PublicKey(point: try P256Point(publicOf: scalar).encoding())
            }

            /// cryptokit/p256/signing/privatekey/init(compactrepresentable:)
            public init(compactRepresentable: Bool = true) {
                while true {
                    // One of 2^32 numbers is no scalar; of two keys one is compact.
                    if let key = try? PrivateKey(scalar: KeyBytes(randomByteCount: P256Point.byteCount)),
                        !compactRepresentable || key.publicKey.compactRepresentation != nil
                    {
                        self = key
                        return
                    }
                }
            }

            /// cryptokit/p256/signing/privatekey/init(rawrepresentation:)
            public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws {
                try self.init(scalar: unsafe rawRepresentation.withUnsafeBytes { unsafe KeyBytes(copying: $0) })
            }

            /// cryptokit/p256/signing/privatekey/init(x963representation:)
            public init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws {
                let bytes = unsafe x963Representation.withUnsafeBytes { unsafe Array($0) }
                guard bytes.count == P256Point.x963ByteCount + P256Point.byteCount else {
                    throw CryptoKitError.incorrectKeySize
                }
                try self.init(rawRepresentation: Array(bytes[P256Point.x963ByteCount...]))
                guard publicKey.x963Representation.elementsEqual(bytes.prefix(P256Point.x963ByteCount)) else {
                    throw CryptoKitError.invalidParameter
                }
            }

            /// cryptokit/p256/signing/privatekey/init(pemrepresentation:)
            public init(pemRepresentation: String) throws {
                let der = try P256Encoding.der(pem: pemRepresentation, ["PRIVATE KEY", "EC PRIVATE KEY"])
                try self.init(scalar: P256Encoding.scalar(der: der))
            }

            /// cryptokit/p256/signing/privatekey/init(derrepresentation:)
            public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws where Bytes.Element == UInt8 {
                try self.init(scalar: P256Encoding.scalar(der: Array(derRepresentation)))
            }

            /// cryptokit/p256/signing/privatekey/rawrepresentation
            public var rawRepresentation: Data { unsafe scalar.withUnsafeBytes { unsafe Data($0) } }

            /// cryptokit/p256/signing/privatekey/x963representation
            public var x963Representation: Data { publicKey.x963Representation + rawRepresentation }

            /// cryptokit/p256/signing/privatekey/derrepresentation
            public var derRepresentation: Data {
                Data(P256Encoding.privateDER(scalar, Array(publicKey.x963Representation)))
            }

            /// cryptokit/p256/signing/privatekey/pemrepresentation
            public var pemRepresentation: String { P256Encoding.pem(Array(derRepresentation), "PRIVATE KEY") }

            /// cryptokit/p256/signing/privatekey/signature(for:)
            public func signature<D: Digest>(for digest: D) throws -> ECDSASignature {
                let der = P256Encoding.privateDER(scalar, Array(publicKey.x963Representation))
                return try ECDSASignature(derRepresentation: P256ECDSA.signature(over: Array(digest), der: der))
            }

            /// cryptokit/p256/signing/privatekey/signature(for:)
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature {
                try signature(for: SHA256.hash(data: data))
            }
        }

        /// cryptokit/p256/signing/ecdsasignature
        public struct ECDSASignature: ContiguousBytes, Sendable {
            /// cryptokit/p256/signing/ecdsasignature/rawrepresentation
            public var rawRepresentation: Data

            /// cryptokit/p256/signing/ecdsasignature/init(rawrepresentation:)
            public init<D: DataProtocol>(rawRepresentation: D) throws {
                guard rawRepresentation.count == P256Point.x963ByteCount - 1 else {
                    throw CryptoKitError.incorrectParameterSize
                }
                self.rawRepresentation = Data(rawRepresentation)
            }

            /// cryptokit/p256/signing/ecdsasignature/init(derrepresentation:)
            public init<D: DataProtocol>(derRepresentation: D) throws {
                rawRepresentation = Data(try P256ECDSA.raw(der: Array(derRepresentation)))
            }

            /// cryptokit/p256/signing/ecdsasignature/derrepresentation
            public var derRepresentation: Data { Data(P256ECDSA.der(raw: Array(rawRepresentation))) }

            /// cryptokit/p256/signing/ecdsasignature/withunsafebytes(_:)
            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
                try unsafe rawRepresentation.withUnsafeBytes(body)
            }
        }
    }
}
