/// Why a P-256 key could not be read or used. Says which step, never what the bytes were.
public enum ES256Error: Error, Equatable {
    /// A key file of this size is not a key file.
    case tooLong(byteCount: Int, byteCountMax: Int)
    /// There is no block with this label: `PRIVATE KEY` (PKCS #8, Apple's `.p8`) or `PUBLIC KEY`.
    case noBlock(label: String)
    /// The block is there, but what is inside is no key.
    case malformed
    /// A key of another kind, or on another curve.
    case notP256
    /// The private and the public half do not belong together.
    case halvesDiffer
    /// The platform refused; the name of the call.
    case library(call: String)
}

extension ES256Error: CustomStringConvertible {
    /// What is wrong with the file.
    public var description: String {
        switch self {
        case .tooLong(let byteCount, let byteCountMax):
            "the file has \(byteCount) bytes, and a key file has \(byteCountMax) at most"
        case .noBlock(let label): "the file has no PEM block '\(label)'"
        case .malformed: "what the PEM block holds is no key"
        case .notP256: "the key is not one on the curve P-256"
        case .halvesDiffer: "the private and the public half of the key do not belong together"
        case .library(let call): "the cryptographic library refused (\(call))"
        }
    }
}

/// A P-256 private key that signs as ES256 (ECDSA with SHA-256). Not copied, not printed, zeroed when its owner goes.
///
/// - Source: RFC 7518 section 3.4; RFC 5958 for the file.
@safe package struct ES256PrivateKey: ~Copyable, Sendable {
    private let key: ES256Handle

    /// - Parameter pem: a PEM file with an unencrypted PKCS #8 block; text around the block is skipped.
    /// - Throws: every case of `ES256Error`.
    package init(pem: RawSpan) throws(ES256Error) {
        key = try ES256Handle.ofPrivateKey(pem: pem)
    }

    /// - Returns: 64 bytes, r then s, each 32 bytes big-endian: the form of a JWT, not DER.
    /// - Throws: `.library`.
    package func signature(over message: [UInt8]) throws(ES256Error) -> [UInt8] {
        try key.rawSignature(over: message)
    }

    /// The public half, in an object of its own that holds nothing of the private one.
    ///
    /// - Throws: `.library`.
    package func publicKey() throws(ES256Error) -> ES256PublicKey {
        ES256PublicKey(key: try key.publicHalf())
    }
}

/// A P-256 public key that checks ES256 signatures.
package struct ES256PublicKey: Sendable {
    private let key: ES256Handle

    fileprivate init(key: ES256Handle) { self.key = key }

    /// - Parameter pem: a PEM file with a `PUBLIC KEY` block (SubjectPublicKeyInfo, RFC 5280); text around it is skipped.
    /// - Throws: every case of `ES256Error` but `.halvesDiffer`.
    package init(pem: RawSpan) throws(ES256Error) {
        key = try ES256Handle.ofPublicKey(pem: pem)
    }

    /// Whether `rawSignature`, 64 bytes r then s, is this key's over `message`; any other length is not.
    package func isValid(rawSignature: [UInt8], over message: [UInt8]) -> Bool {
        key.isValid(rawSignature: rawSignature, over: message)
    }

    /// Whether `derSignature`, an `ECDSA-Sig-Value` (RFC 3279) as `openssl dgst -sign` writes it, is this key's over
    /// `message`; strict DER only.
    package func isValid(derSignature: [UInt8], over message: [UInt8]) -> Bool {
        key.isValid(derSignature: derSignature, over: message)
    }
}
