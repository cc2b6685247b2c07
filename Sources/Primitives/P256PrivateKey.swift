/// Errors of a P-256 key, without its bytes.
package enum P256Error: Error, Equatable {
    case wrongByteCount(expected: Int, actual: Int)
    /// Compressed, hybrid or infinity; off the curve; or a coordinate not below the prime.
    case notAPoint
    /// Zero, or not below the group's order.
    case notAScalar
    case library(call: String)
}

/// Point of P-256 other than infinity, uncompressed.
///
/// All have the group's prime order, so the curve's equation is the only check needed against small subgroups (NIST SP
/// 800-56A revision 3, section 5.6.2.3.4).
package struct P256PublicKey: Equatable, Hashable, Sendable {
    package static let byteCount = 65

    /// 0x04, then x and y, 32 bytes each (SEC 1 section 2.3.3; ANSI X9.63).
    package let x963Representation: [UInt8]

    package init(x963Representation: [UInt8]) throws(P256Error) {
        guard x963Representation.count == Self.byteCount else {
            throw .wrongByteCount(expected: Self.byteCount, actual: x963Representation.count)
        }
        // Libraries also read the forms 0x06 and 0x07, which would give one point several encodings.
        guard x963Representation[0] == 0x04 else { throw .notAPoint }
        try Provider.checkP256Point(x963Representation)
        self.x963Representation = x963Representation
    }

    fileprivate init(unchecked bytes: [UInt8]) { x963Representation = bytes }
}

/// P-256 private key for ECDH, zeroed when released, except in the library's own buffers.
package struct P256PrivateKey: ~Copyable, Sendable {
    package static let byteCount = 32

    /// One number in 2^32 is refused, so such a source is broken.
    private static let drawCountMax = 64

    private let scalar: SecretBytes
    package let publicKey: P256PublicKey

    /// Draws until a number lies in 1 ..< n, so that all are equally likely.
    ///
    /// - Throws: `.notAScalar` if the source gives no such number, `.library`.
    package init(random: inout some RandomSource, storage: SecretBytes.Storage = .plain) throws(P256Error) {
        for _ in 0..<Self.drawCountMax {
            do {
                try self.init(rawRepresentation: random.secret(byteCount: Self.byteCount, storage: storage))
                return
            } catch .notAScalar {
                continue
            }
        }
        throw .notAScalar
    }

    /// Takes 32 bytes, big-endian, 1 ..< n (SEC 1 section 2.3.7).
    package init(rawRepresentation: consuming SecretBytes) throws(P256Error) {
        guard rawRepresentation.byteCount == Self.byteCount else {
            throw .wrongByteCount(expected: Self.byteCount, actual: rawRepresentation.byteCount)
        }
        let publicKey = P256PublicKey(unchecked: try Provider.p256PublicKey(of: rawRepresentation))
        scalar = rawRepresentation
        self.publicKey = publicKey
    }

    /// X-coordinate, 32 bytes. The common point is never infinity: the order is prime.
    ///
    /// - Source: SEC 1 section 3.3.1; the cofactor is 1.
    package func sharedSecret(with peer: P256PublicKey) throws(P256Error) -> SecretBytes {
        try Provider.p256SharedSecret(scalar, peer.x963Representation)
    }

    package func withRawRepresentation<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try scalar.withBytes(body)
    }
}
