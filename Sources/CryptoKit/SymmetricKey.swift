public import Foundation

/// cryptokit/symmetrickeysize
public struct SymmetricKeySize: Sendable {
    /// cryptokit/symmetrickeysize/bitcount
    public let bitCount: Int

    /// cryptokit/symmetrickeysize/bits128
    public static var bits128: SymmetricKeySize { SymmetricKeySize(bitCount: 128) }
    /// cryptokit/symmetrickeysize/bits192
    public static var bits192: SymmetricKeySize { SymmetricKeySize(bitCount: 192) }
    /// cryptokit/symmetrickeysize/bits256
    public static var bits256: SymmetricKeySize { SymmetricKeySize(bitCount: 256) }

    /// cryptokit/symmetrickeysize/init(bitcount:)
    public init(bitCount: Int) {
        precondition(bitCount > 0 && bitCount.isMultiple(of: 8), "a key has whole bytes")
        self.bitCount = bitCount
    }
}

/// cryptokit/symmetrickey
public struct SymmetricKey: ContiguousBytes, Equatable, Sendable {
    let bytes: KeyBytes

    init(_ bytes: KeyBytes) { self.bytes = bytes }

    /// cryptokit/symmetrickey/init(data:)
    public init<D: ContiguousBytes>(data: D) {
        bytes = unsafe data.withUnsafeBytes { unsafe KeyBytes(copying: $0) }
    }

    /// cryptokit/symmetrickey/init(size:)
    public init(size: SymmetricKeySize) {
        bytes = KeyBytes(randomByteCount: size.bitCount / 8)
    }

    /// cryptokit/symmetrickey/bitcount
    public var bitCount: Int { bytes.count * 8 }

    /// cryptokit/symmetrickey/withunsafebytes(_:)
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe bytes.withUnsafeBytes(body)
    }

    /// cryptokit/symmetrickey/==(_:_:)
    public static func == (lhs: SymmetricKey, rhs: SymmetricKey) -> Bool {
        unsafe lhs.withUnsafeBytes { one in unsafe rhs.withUnsafeBytes { unsafe areEqual(one, $0) } }
    }
}
