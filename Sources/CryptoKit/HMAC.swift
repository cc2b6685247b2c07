public import Foundation

/// cryptokit/messageauthenticationcode
public protocol MessageAuthenticationCode: ContiguousBytes, CustomStringConvertible, Hashable, Sequence
where Element == UInt8 {
    /// cryptokit/messageauthenticationcode/bytecount
    var byteCount: Int { get }
}

extension MessageAuthenticationCode {
    /// cryptokit/messageauthenticationcode/makeiterator()
    public func makeIterator() -> Array<UInt8>.Iterator {
        unsafe withUnsafeBytes { unsafe Array($0) }.makeIterator()
    }

    /// cryptokit/messageauthenticationcode/==(_:_:)
    public static func == (lhs: Self, rhs: Self) -> Bool {
        unsafe lhs.withUnsafeBytes { one in unsafe rhs.withUnsafeBytes { unsafe areEqual(one, $0) } }
    }

    /// cryptokit/messageauthenticationcode/==(_:_:)
    public static func == <D: DataProtocol>(lhs: Self, rhs: D) -> Bool {
        unsafe lhs.withUnsafeBytes { one in unsafe Array(rhs).withUnsafeBytes { unsafe areEqual(one, $0) } }
    }
}

/// cryptokit/hashedauthenticationcode
public struct HashedAuthenticationCode<H: HashFunction>: MessageAuthenticationCode {
    fileprivate let digest: H.Digest

    /// cryptokit/hashedauthenticationcode/bytecount
    public var byteCount: Int { H.Digest.byteCount }

    /// cryptokit/hashedauthenticationcode/description
    public var description: String { "HMAC with \(H.self): " + hexadecimal(digest) }

    /// cryptokit/hashedauthenticationcode/withunsafebytes(_:)
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe digest.withUnsafeBytes(body)
    }

    /// cryptokit/hashedauthenticationcode/hash(into:)
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// cryptokit/hmac
public struct HMAC<H: HashFunction> {
    /// cryptokit/hmac/key
    public typealias Key = SymmetricKey
    /// cryptokit/hmac/mac
    public typealias MAC = HashedAuthenticationCode<H>

    private var inner = H()
    private var outer = H()

    /// cryptokit/hmac/init(key:)
    public init(key: SymmetricKey) {
        var key = key
        if key.bytes.count > H.blockByteCount {
            var function = H()
            unsafe key.withUnsafeBytes { unsafe function.update(bufferPointer: $0) }
            key = SymmetricKey(data: function.finalize())
        }
        unsafe Self.block(key, 0x36).withUnsafeBytes { unsafe inner.update(bufferPointer: $0) }
        unsafe Self.block(key, 0x5C).withUnsafeBytes { unsafe outer.update(bufferPointer: $0) }
    }

    /// cryptokit/hmac/authenticationcode(for:using:)
    public static func authenticationCode<D: DataProtocol>(for data: D, using key: SymmetricKey) -> MAC {
        var code = HMAC(key: key)
        code.update(data: data)
        return code.finalize()
    }

    /// cryptokit/hmac/isvalidauthenticationcode(_:authenticating:using:)
    public static func isValidAuthenticationCode<D: DataProtocol>(
        _ authenticationCode: MAC,
        authenticating authenticatedData: D,
        using key: SymmetricKey
    ) -> Bool {
        authenticationCode == Self.authenticationCode(for: authenticatedData, using: key)
    }

    /// cryptokit/hmac/isvalidauthenticationcode(_:authenticating:using:)
    public static func isValidAuthenticationCode<C: ContiguousBytes, D: DataProtocol>(
        _ authenticationCode: C,
        authenticating authenticatedData: D,
        using key: SymmetricKey
    ) -> Bool {
        let own = Self.authenticationCode(for: authenticatedData, using: key)
        return unsafe authenticationCode.withUnsafeBytes { code in
            unsafe own.withUnsafeBytes { unsafe areEqual(code, $0) }
        }
    }

    /// cryptokit/hmac/isvalidauthenticationcode(_:authenticating:using:)
    public static func isValidAuthenticationCode(
        _ mac: MAC,
        authenticating bufferPointer: UnsafeRawBufferPointer,
        using key: SymmetricKey
    ) -> Bool {
        unsafe isValidAuthenticationCode(mac, authenticating: Array(bufferPointer), using: key)
    }

    /// cryptokit/hmac/update(data:)
    public mutating func update<D: DataProtocol>(data: D) { inner.update(data: data) }

    /// cryptokit/hmac/finalize()
    public func finalize() -> MAC {
        var outer = outer
        unsafe inner.finalize().withUnsafeBytes { unsafe outer.update(bufferPointer: $0) }
        return MAC(digest: outer.finalize())
    }

    /// Key, padded with zeros, in each byte combined with `mask`.
    private static func block(_ key: SymmetricKey, _ mask: UInt8) -> KeyBytes {
        unsafe key.withUnsafeBytes { key in
            unsafe KeyBytes(byteCount: H.blockByteCount) { block in
                for index in block.indices {
                    unsafe block[index] = (index < key.count ? key[index] : 0) ^ mask
                }
            }
        }
    }
}
