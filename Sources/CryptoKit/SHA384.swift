internal import COpenSSL
internal import Foundation

/// cryptokit/sha384
public struct SHA384: HashFunction {
    /// cryptokit/sha384/digest
    public typealias Digest = SHA384Digest
    /// cryptokit/sha384/blockbytecount
    public static var blockByteCount: Int { 128 }
    /// cryptokit/sha384/bytecount
    public static var byteCount: Int { 48 }

    private var state = unsafe HashState(EVP_sha384())

    /// cryptokit/sha384/init()
    public init() {}

    /// cryptokit/sha384/update(bufferpointer:)
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { unsafe state.update(bufferPointer) }

    /// cryptokit/sha384/finalize()
    public func finalize() -> Digest { Digest(bytes: state.digest(byteCount: Digest.byteCount)) }
}

/// cryptokit/sha384digest
public struct SHA384Digest: Digest, Sendable {
    fileprivate let bytes: [UInt8]

    /// cryptokit/sha384digest/bytecount
    public static var byteCount: Int { 48 }

    /// cryptokit/sha384digest/withunsafebytes(_:)
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe bytes.withUnsafeBytes(body)
    }

    /// cryptokit/sha384digest/hash(into:)
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// cryptokit/sha384digest/description
    public var description: String { "SHA384 digest: " + hexadecimal(bytes) }
}
