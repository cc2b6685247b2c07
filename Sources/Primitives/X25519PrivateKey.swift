/// X25519 public key: 32 bytes, RFC 7748's u-coordinate.
package struct X25519PublicKey: Equatable, Hashable, Sendable {
    package static let byteCount = 32

    package let rawRepresentation: [UInt8]

    /// Accepts keys of low order, which `sharedSecret` and `isLowOrder` detect.
    package init(rawRepresentation: [UInt8]) throws(PrimitiveError) {
        guard rawRepresentation.count == Self.byteCount else {
            throw .wrongByteCount(of: .publicKey, expected: Self.byteCount, actual: rawRepresentation.count)
        }
        self.rawRepresentation = rawRepresentation
    }

    fileprivate init(unchecked bytes: [UInt8]) { rawRepresentation = bytes }

    /// True if every shared secret is zero. One clamped scalar decides it: all are multiples of 8, the cofactor.
    package var isLowOrder: Bool {
        let anyScalar = SecretBytes(byteCount: X25519PrivateKey.byteCount) { $0.storeBytes(of: 1, as: UInt8.self) }
        let key = X25519PrivateKey(secret: anyScalar)
        do {
            _ = try key.sharedSecret(with: self)
            return false
        } catch {
            return true
        }
    }
}

/// X25519 private key: 32 bytes, clamped when used (RFC 7748 section 5).
package struct X25519PrivateKey: ~Copyable, Sendable {
    package static let byteCount = 32

    private let secret: SecretBytes
    package let publicKey: X25519PublicKey

    package init(random: inout some RandomSource, storage: SecretBytes.Storage = .plain) {
        self.init(secret: random.secret(byteCount: Self.byteCount, storage: storage))
    }

    package init(rawRepresentation: consuming SecretBytes) throws(PrimitiveError) {
        guard rawRepresentation.byteCount == Self.byteCount else {
            throw .wrongByteCount(of: .privateKey, expected: Self.byteCount, actual: rawRepresentation.byteCount)
        }
        self.init(secret: rawRepresentation)
    }

    fileprivate init(secret: consuming SecretBytes) {
        publicKey = X25519PublicKey(unchecked: secret.withBytes { Provider.x25519PublicKey(of: $0) })
        self.secret = secret
    }

    /// 32 bytes. Throws for an all-zero result, which RFC 9180 section 7.1.4 refuses.
    package func sharedSecret(with peer: X25519PublicKey) throws(PrimitiveError) -> SecretBytes {
        try SecretBytes(byteCount: 32) { output throws(PrimitiveError) in
            let isNonZero = secret.withBytes { Provider.x25519($0, peer.rawRepresentation, into: &output) }
            guard isNonZero else { throw .lowOrderPublicKey }
        }
    }

    package func withRawRepresentation<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes(body)
    }
}
