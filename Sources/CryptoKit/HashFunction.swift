public import Foundation

/// cryptokit/digest
public protocol Digest: ContiguousBytes, CustomStringConvertible, Hashable, Sequence where Element == UInt8 {
    /// cryptokit/digest/bytecount
    static var byteCount: Int { get }
}

extension Digest {
    /// cryptokit/digest/makeiterator()
    public func makeIterator() -> Array<UInt8>.Iterator {
        unsafe withUnsafeBytes { unsafe Array($0) }.makeIterator()
    }

    /// cryptokit/digest/==(_:_:)
    public static func == (lhs: Self, rhs: Self) -> Bool {
        unsafe lhs.withUnsafeBytes { one in unsafe rhs.withUnsafeBytes { unsafe areEqual(one, $0) } }
    }

    /// cryptokit/digest/==(_:_:)
    public static func == <D: DataProtocol>(lhs: Self, rhs: D) -> Bool {
        unsafe lhs.withUnsafeBytes { one in unsafe Array(rhs).withUnsafeBytes { unsafe areEqual(one, $0) } }
    }
}

/// cryptokit/hashfunction
public protocol HashFunction {
    /// cryptokit/hashfunction/digest
    associatedtype Digest: CryptoKit.Digest

    /// cryptokit/hashfunction/blockbytecount
    static var blockByteCount: Int { get }

    /// cryptokit/hashfunction/init()
    init()

    /// cryptokit/hashfunction/update(bufferpointer:)
    mutating func update(bufferPointer: UnsafeRawBufferPointer)

    /// cryptokit/hashfunction/finalize()
    func finalize() -> Digest
}

extension HashFunction {
    /// cryptokit/hashfunction/hash(data:)
    public static func hash<D: DataProtocol>(data: D) -> Digest {
        var function = Self()
        function.update(data: data)
        return function.finalize()
    }

    /// cryptokit/hashfunction/update(data:)
    public mutating func update<D: DataProtocol>(data: D) {
        for region in data.regions { unsafe region.withUnsafeBytes { unsafe update(bufferPointer: $0) } }
    }
}
