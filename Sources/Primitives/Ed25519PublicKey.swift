/// Ed25519 public key (RFC 8032): 32 bytes with a canonical y that is not of small order.
package struct Ed25519PublicKey: Equatable, Hashable, Sendable {
    package static let byteCount = 32
    package static let signatureByteCount = 64

    package let rawRepresentation: [UInt8]

    /// Checks the encoding when a key is pinned, not only when it verifies.
    package init(rawRepresentation: [UInt8]) throws(PrimitiveError) {
        guard rawRepresentation.count == Self.byteCount else {
            throw .wrongByteCount(of: .publicKey, expected: Self.byteCount, actual: rawRepresentation.count)
        }
        guard Ed25519Encoding.isAcceptablePoint(rawRepresentation[...]) else { throw .unacceptablePublicKey }
        self.rawRepresentation = rawRepresentation
    }

    fileprivate init(derived bytes: [UInt8]) { rawRepresentation = bytes }

    /// Verifies without the cofactor, after checks on which libraries differ: S below the group order, R and A
    /// canonical and not of small order. So all platforms accept the same.
    package func isValid(signature: [UInt8], over message: [UInt8]) -> Bool {
        guard signature.count == Self.signatureByteCount,
            Ed25519Encoding.isAcceptablePoint(signature[0..<32]),
            Ed25519Encoding.isBelowGroupOrder(signature[32..<64])
        else { return false }
        return Provider.ed25519IsValid(signature: signature, over: message, publicKey: rawRepresentation)
    }
}

package struct Ed25519PrivateKey: ~Copyable, Sendable {
    package static let seedByteCount = 32

    /// Seed, then public key: 64 bytes.
    private let secret: SecretBytes
    package let publicKey: Ed25519PublicKey

    package init(random: inout some RandomSource, storage: SecretBytes.Storage = .plain) {
        self.init(checked: random.secret(byteCount: Self.seedByteCount), storage: storage)
    }

    package init(seed: consuming SecretBytes, storage: SecretBytes.Storage = .plain) throws(PrimitiveError) {
        guard seed.byteCount == Self.seedByteCount else {
            throw .wrongByteCount(of: .privateKey, expected: Self.seedByteCount, actual: seed.byteCount)
        }
        self.init(checked: seed, storage: storage)
    }

    private init(checked seed: consuming SecretBytes, storage: SecretBytes.Storage) {
        let publicKey = seed.withBytes { Provider.ed25519PublicKey(ofSeed: $0) }
        secret = SecretBytes(byteCount: 64, storage: storage) { output in
            seed.withBytes { output.write($0, at: 0) }
            unsafe output.write(publicKey.span.bytes, at: Self.seedByteCount)
        }
        self.publicKey = Ed25519PublicKey(derived: publicKey)
    }

    /// 64 bytes, R then S. Deterministic (RFC 8032 section 5.1.6), except with CryptoKit.
    package func signature(over message: [UInt8]) -> [UInt8] {
        secret.withBytes { Provider.ed25519Signature(over: message, secret: $0) }
    }

    /// Passes the 32-byte seed, for a key file.
    package func withSeed<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes { bytes throws(Failure) in try body(bytes.extracting(first: Self.seedByteCount)) }
    }
}
