internal import COpenSSL
internal import Foundation

/// cryptokit/sha512
public struct SHA512: HashFunction {
    /// cryptokit/sha512/digest
    public typealias Digest = SHA512Digest
    /// cryptokit/sha512/blockbytecount
    public static var blockByteCount: Int { 128 }
    /// cryptokit/sha512/bytecount
    public static var byteCount: Int { 64 }

    private var state = unsafe HashState(EVP_sha512())

    /// cryptokit/sha512/init()
    public init() {}

    /// cryptokit/sha512/update(bufferpointer:)
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { unsafe state.update(bufferPointer) }

    /// cryptokit/sha512/finalize()
    public func finalize() -> Digest { Digest(bytes: state.digest(byteCount: Digest.byteCount)) }
}

/// cryptokit/sha512digest
public struct SHA512Digest: Digest, Sendable {
    fileprivate let bytes: [UInt8]

    /// cryptokit/sha512digest/bytecount
    public static var byteCount: Int { 64 }

    /// cryptokit/sha512digest/withunsafebytes(_:)
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe bytes.withUnsafeBytes(body)
    }

    /// cryptokit/sha512digest/hash(into:)
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// cryptokit/sha512digest/description
    public var description: String { "SHA512 digest: " + hexadecimal(bytes) }
}
