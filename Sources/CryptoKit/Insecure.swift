internal import COpenSSL
internal import Foundation

/// cryptokit/insecure
public enum Insecure {}

extension Insecure {
    /// cryptokit/insecure/sha1
    public struct SHA1: HashFunction {
        /// cryptokit/insecure/sha1/digest
        public typealias Digest = Insecure.SHA1Digest
        /// cryptokit/insecure/sha1/blockbytecount
        public static var blockByteCount: Int { 64 }
        /// cryptokit/insecure/sha1/bytecount
        public static var byteCount: Int { 20 }

        private var state = unsafe HashState(EVP_sha1())

        /// cryptokit/insecure/sha1/init()
        public init() {}

        /// cryptokit/insecure/sha1/update(bufferpointer:)
        public mutating func update(bufferPointer: UnsafeRawBufferPointer) { unsafe state.update(bufferPointer) }

        /// cryptokit/insecure/sha1/finalize()
        public func finalize() -> Digest { Digest(bytes: state.digest(byteCount: Digest.byteCount)) }
    }

    /// cryptokit/insecure/sha1digest
    public struct SHA1Digest: Digest, Sendable {
        fileprivate let bytes: [UInt8]

        /// cryptokit/insecure/sha1digest/bytecount
        public static var byteCount: Int { 20 }

        /// cryptokit/insecure/sha1digest/withunsafebytes(_:)
        public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            try unsafe bytes.withUnsafeBytes(body)
        }

        /// cryptokit/insecure/sha1digest/hash(into:)
        public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

        /// cryptokit/insecure/sha1digest/description
        public var description: String { "SHA1 digest: " + hexadecimal(bytes) }
    }

    /// cryptokit/insecure/md5
    public struct MD5: HashFunction {
        /// cryptokit/insecure/md5/digest
        public typealias Digest = Insecure.MD5Digest
        /// cryptokit/insecure/md5/blockbytecount
        public static var blockByteCount: Int { 64 }
        /// cryptokit/insecure/md5/bytecount
        public static var byteCount: Int { 16 }

        private var state = unsafe HashState(EVP_md5())

        /// cryptokit/insecure/md5/init()
        public init() {}

        /// cryptokit/insecure/md5/update(bufferpointer:)
        public mutating func update(bufferPointer: UnsafeRawBufferPointer) { unsafe state.update(bufferPointer) }

        /// cryptokit/insecure/md5/finalize()
        public func finalize() -> Digest { Digest(bytes: state.digest(byteCount: Digest.byteCount)) }
    }

    /// cryptokit/insecure/md5digest
    public struct MD5Digest: Digest, Sendable {
        fileprivate let bytes: [UInt8]

        /// cryptokit/insecure/md5digest/bytecount
        public static var byteCount: Int { 16 }

        /// cryptokit/insecure/md5digest/withunsafebytes(_:)
        public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            try unsafe bytes.withUnsafeBytes(body)
        }

        /// cryptokit/insecure/md5digest/hash(into:)
        public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

        /// cryptokit/insecure/md5digest/description
        public var description: String { "MD5 digest: " + hexadecimal(bytes) }
    }
}
