/// Errors of a P-256 key, without its bytes.
public enum ES256Error: Error, Equatable {
    /// Too large for a key file.
    case tooLong(byteCount: Int, byteCountMax: Int)
    /// No block `PRIVATE KEY` (PKCS #8, Apple's `.p8`) or `PUBLIC KEY`.
    case noBlock(label: String)
    /// No key in the block.
    case malformed
    /// Key of another kind or curve.
    case notP256
    /// Halves that do not match.
    case halvesDiffer
    /// Failed library call.
    case library(call: String)
}

extension ES256Error: CustomStringConvertible {
    /// Error in words.
    public var description: String {
        switch self {
        case .tooLong(let byteCount, let byteCountMax):
            "the file has \(byteCount) bytes, and a key file has \(byteCountMax) at most"
        case .noBlock(let label): "the file has no PEM block '\(label)'"
        case .malformed: "the PEM block does not hold a key"
        case .notP256: "the key is not one on the curve P-256"
        case .halvesDiffer: "the private and the public half of the key do not belong together"
        case .library(let call): "the cryptographic library refused (\(call))"
        }
    }
}

/// P-256 private key for ES256 (ECDSA with SHA-256), zeroed when released.
///
/// - Source: RFC 7518 section 3.4; RFC 5958 for the file.
@safe package struct ES256PrivateKey: ~Copyable, Sendable {
    private let key: ES256Handle

    /// Takes a PEM file with an unencrypted PKCS #8 block; text around it is skipped.
    package init(pem: RawSpan) throws(ES256Error) {
        key = try ES256Handle.ofPrivateKey(pem: pem)
    }

    /// 64 bytes, r then s, each big-endian: a JWT's form, not DER.
    package func signature(over message: [UInt8]) throws(ES256Error) -> [UInt8] {
        try key.rawSignature(over: message)
    }

    /// Public half, in an object without the private one.
    package func publicKey() throws(ES256Error) -> ES256PublicKey {
        ES256PublicKey(key: try key.publicHalf())
    }
}

package struct ES256PublicKey: Sendable {
    private let key: ES256Handle

    fileprivate init(key: ES256Handle) { self.key = key }

    /// Takes a PEM file with a `PUBLIC KEY` block (SubjectPublicKeyInfo, RFC 5280).
    ///
    /// - Throws: every case of `ES256Error` but `.halvesDiffer`.
    package init(pem: RawSpan) throws(ES256Error) {
        key = try ES256Handle.ofPublicKey(pem: pem)
    }

    /// Takes an uncompressed point, 65 bytes.
    ///
    /// - Throws: `.malformed` for another form, or no point of the curve.
    package init(x963Representation: [UInt8]) throws(ES256Error) {
        guard x963Representation.count == P256PublicKey.byteCount, x963Representation[0] == 0x04 else {
            throw .malformed
        }
        key = try ES256Handle.ofPublicKey(x963Representation: x963Representation)
    }

    /// Verifies 64 bytes, r then s; any other length is invalid.
    package func isValid(rawSignature: [UInt8], over message: [UInt8]) -> Bool {
        key.isValid(rawSignature: rawSignature, over: message)
    }

    /// Verifies a strict DER `ECDSA-Sig-Value` (RFC 3279), as `openssl dgst -sign` writes it.
    package func isValid(derSignature: [UInt8], over message: [UInt8]) -> Bool {
        key.isValid(derSignature: derSignature, over: message)
    }
}
