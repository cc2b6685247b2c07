public import Foundation

/// cryptokit/diffiehellmankeyagreement
public protocol DiffieHellmanKeyAgreement {
    /// cryptokit/diffiehellmankeyagreement/publickey
    associatedtype PublicKey
    /// cryptokit/diffiehellmankeyagreement/publickey
    var publicKey: PublicKey { get }

    /// cryptokit/diffiehellmankeyagreement/sharedsecretfromkeyagreement(with:)
    func sharedSecretFromKeyAgreement(with publicKeyShare: PublicKey) throws -> SharedSecret
}

/// cryptokit/sharedsecret
public struct SharedSecret: ContiguousBytes, CustomStringConvertible, Hashable, Sendable {
    private let bytes: KeyBytes

    init(_ bytes: KeyBytes) { self.bytes = bytes }

    /// cryptokit/sharedsecret/withunsafebytes(_:)
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe bytes.withUnsafeBytes(body)
    }

    /// cryptokit/sharedsecret/x963derivedsymmetrickey(using:sharedinfo:outputbytecount:)
    public func x963DerivedSymmetricKey<H: HashFunction, SI: DataProtocol>(
        using hashFunction: H.Type,
        sharedInfo: SI,
        outputByteCount: Int
    ) -> SymmetricKey {
        var output: [UInt8] = []
        var counter: UInt32 = 1
        while output.count < outputByteCount {
            var function = H()
            unsafe withUnsafeBytes { unsafe function.update(bufferPointer: $0) }
            unsafe Swift.withUnsafeBytes(of: counter.bigEndian) { unsafe function.update(bufferPointer: $0) }
            function.update(data: sharedInfo)
            output += function.finalize()
            counter += 1
        }
        return SymmetricKey(data: Array(output.prefix(outputByteCount)))
    }

    /// cryptokit/sharedsecret/hkdfderivedsymmetrickey(using:salt:sharedinfo:outputbytecount:)
    public func hkdfDerivedSymmetricKey<H: HashFunction, Salt: DataProtocol, SI: DataProtocol>(
        using hashFunction: H.Type,
        salt: Salt,
        sharedInfo: SI,
        outputByteCount: Int
    ) -> SymmetricKey {
        HKDF<H>.deriveKey(
            inputKeyMaterial: SymmetricKey(bytes),
            salt: salt,
            info: sharedInfo,
            outputByteCount: outputByteCount
        )
    }

    /// cryptokit/sharedsecret/hash(into:)
    public func hash(into hasher: inout Hasher) { unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }

    /// cryptokit/sharedsecret/==(_:_:)
    public static func == (lhs: SharedSecret, rhs: SharedSecret) -> Bool {
        unsafe lhs.withUnsafeBytes { one in unsafe rhs.withUnsafeBytes { unsafe areEqual(one, $0) } }
    }

    /// cryptokit/sharedsecret/==(_:_:)
    public static func == <D: DataProtocol>(lhs: SharedSecret, rhs: D) -> Bool {
        unsafe lhs.withUnsafeBytes { one in unsafe Array(rhs).withUnsafeBytes { unsafe areEqual(one, $0) } }
    }

    /// cryptokit/sharedsecret/description
    ///
    /// Without the secret, which Apple's has: a test's log has other readers.
    public var description: String { "SharedSecret: \(bytes.count) bytes" }
}
