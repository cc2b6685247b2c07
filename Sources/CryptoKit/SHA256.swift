internal import COpenSSL
internal import Foundation

/// cryptokit/sha256
public struct SHA256: HashFunction {
    /// cryptokit/sha256/digest
    public typealias Digest = SHA256Digest
    /// cryptokit/sha256/blockbytecount
    public static var blockByteCount: Int { 64 }
    /// cryptokit/sha256/bytecount
    public static var byteCount: Int { 32 }

    private var state = unsafe HashState(EVP_sha256())

    /// cryptokit/sha256/init()
    public init() {}

    /// cryptokit/sha256/update(bufferpointer:)
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { unsafe state.update(bufferPointer) }

    /// cryptokit/sha256/finalize()
    public func finalize() -> Digest { Digest(bytes: state.digest(byteCount: Digest.byteCount)) }
}

/// cryptokit/sha256digest
public struct SHA256Digest: Digest, Sendable {
    fileprivate let bytes: [UInt8]

    /// cryptokit/sha256digest/bytecount
    public static var byteCount: Int { 32 }

    /// cryptokit/sha256digest/withunsafebytes(_:)
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe bytes.withUnsafeBytes(body)
    }

    /// cryptokit/sha256digest/hash(into:)
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// cryptokit/sha256digest/description
    public var description: String { "SHA256 digest: " + hexadecimal(bytes) }
}
