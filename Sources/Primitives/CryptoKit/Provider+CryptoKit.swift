#if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
internal import CryptoKit
private import Platform

/// CryptoKit, with the same raw bytes as on Linux. Differences:
/// - Memory for long-lived keys is zeroed, but neither locked nor fenced.
/// - CryptoKit copies keys into its own objects, which it zeroes. Its `Data` with plaintexts and shared secrets is not
///   zeroed, and the state of a hash is inaccessible.
/// - Ed25519 signatures are randomised: valid, but not those of RFC 8032.
enum Provider: PrimitiveProvider {
    static func allocateGuarded(byteCount: Int) -> UnsafeMutableRawBufferPointer {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        return unsafe bytes
    }

    static func releaseGuarded(_ bytes: UnsafeMutableRawBufferPointer) {
        unsafe wipe(bytes)
        unsafe bytes.deallocate()
    }

    static func wipe(_ bytes: UnsafeMutableRawBufferPointer) { unsafe Wiping.wipe(bytes) }

    static func areEqual(_ one: RawSpan, _ other: RawSpan) -> Bool {
        var difference: UInt8 = 0
        for offset in 0..<one.byteCount { difference |= one.byte(at: offset) ^ other.byte(at: offset) }
        return difference == 0
    }

    /// Uses arc4random_buf here.
    static func fillWithRandom(_ output: inout MutableRawSpan) {
        var generator = SystemRandomNumberGenerator()
        for offset in 0..<output.byteCount {
            output.storeBytes(of: UInt8.random(in: 0 ... .max, using: &generator), toByteOffset: offset, as: UInt8.self)
        }
    }
}

extension Provider {
    static func x25519PublicKey(of scalar: RawSpan) -> [UInt8] {
        [UInt8](agreementKey(scalar).publicKey.rawRepresentation)
    }

    /// CryptoKit may refuse an all-zero result itself.
    static func x25519(_ scalar: RawSpan, _ point: [UInt8], into output: inout MutableRawSpan) -> Bool {
        do {
            let peer = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: point)
            let secret = try agreementKey(scalar).sharedSecretFromKeyAgreement(with: peer)
            var seen: UInt8 = 0
            unsafe secret.withUnsafeBytes { bytes in
                for index in bytes.indices {
                    let byte = unsafe bytes[index]
                    seen |= byte
                    output.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
                }
            }
            return seen != 0
        } catch {
            return false
        }
    }

    static func ed25519PublicKey(ofSeed seed: RawSpan) -> [UInt8] {
        [UInt8](signingKey(seed).publicKey.rawRepresentation)
    }

    static func ed25519Signature(over message: [UInt8], secret: RawSpan) -> [UInt8] {
        do {
            return [UInt8](try signingKey(secret.extracting(first: 32)).signature(for: message))
        } catch {
            preconditionFailure("CryptoKit could not sign")
        }
    }

    static func ed25519IsValid(signature: [UInt8], over message: [UInt8], publicKey: [UInt8]) -> Bool {
        do {
            let key = try Curve25519.Signing.PublicKey(rawRepresentation: publicKey)
            return key.isValidSignature(signature, for: message)
        } catch {
            return false
        }
    }

    private static func agreementKey(_ scalar: RawSpan) -> Curve25519.KeyAgreement.PrivateKey {
        do {
            return try unsafe scalar.withUnsafeBytes {
                try unsafe Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0)
            }
        } catch {
            preconditionFailure("CryptoKit takes every 32 bytes as a scalar")
        }
    }

    private static func signingKey(_ seed: RawSpan) -> Curve25519.Signing.PrivateKey {
        do {
            return try unsafe seed.withUnsafeBytes {
                try unsafe Curve25519.Signing.PrivateKey(rawRepresentation: $0)
            }
        } catch {
            preconditionFailure("CryptoKit takes every 32 bytes as a seed")
        }
    }
}

// P-256, for Web Push.
extension Provider {
    static func checkP256Point(_ x963Representation: [UInt8]) throws(P256Error) {
        do {
            _ = try P256.KeyAgreement.PublicKey(x963Representation: x963Representation)
        } catch {
            throw .notAPoint
        }
    }

    static func p256PublicKey(of scalar: borrowing SecretBytes) throws(P256Error) -> [UInt8] {
        [UInt8](try p256Key(scalar).publicKey.x963Representation)
    }

    static func p256SharedSecret(
        _ scalar: borrowing SecretBytes,
        _ x963Representation: [UInt8]
    ) throws(P256Error) -> SecretBytes {
        let key = try p256Key(scalar)
        do {
            let peer = try P256.KeyAgreement.PublicKey(x963Representation: x963Representation)
            let secret = try key.sharedSecretFromKeyAgreement(with: peer)
            // `withUnsafeBytes` cannot return a noncopyable value.
            return SecretBytes(byteCount: P256PrivateKey.byteCount) { output in
                unsafe secret.withUnsafeBytes { bytes in
                    unsafe output.withUnsafeMutableBytes { unsafe $0.copyMemory(from: bytes) }
                }
            }
        } catch {
            throw .library(call: "sharedSecretFromKeyAgreement(with:)")
        }
    }

    private static func p256Key(_ scalar: borrowing SecretBytes) throws(P256Error) -> P256.KeyAgreement.PrivateKey {
        do {
            return try scalar.withBytes { span in
                try unsafe span.withUnsafeBytes { try unsafe P256.KeyAgreement.PrivateKey(rawRepresentation: $0) }
            }
        } catch {
            throw .notAScalar
        }
    }
}

extension Provider {
    typealias SHA256State = State<CryptoKit.SHA256>
    typealias SHA512State = State<CryptoKit.SHA512>

    struct State<Function: HashFunction>: HashState {
        private var function = Function()

        init() {}

        mutating func update(_ bytes: RawSpan) {
            unsafe bytes.withUnsafeBytes { unsafe function.update(bufferPointer: $0) }
        }

        mutating func finish(into output: inout MutableRawSpan) {
            for (offset, byte) in function.finalize().enumerated() {
                output.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            }
        }

        mutating func wipe() { function = Function() }
    }
}

extension Provider {
    static func chaChaPolySeal(_ plaintext: [UInt8], key: RawSpan, nonce: [UInt8], aad: [UInt8]) -> [UInt8] {
        do {
            let nonce = try CryptoKit.ChaChaPoly.Nonce(data: nonce)
            let key = symmetricKey(key)
            let box = try CryptoKit.ChaChaPoly.seal(plaintext, using: key, nonce: nonce, authenticating: aad)
            return [UInt8](box.ciphertext) + [UInt8](box.tag)
        } catch {
            preconditionFailure("CryptoKit could not seal")
        }
    }

    static func chaChaPolyOpen(
        _ ciphertext: ArraySlice<UInt8>,
        key: RawSpan,
        nonce: [UInt8],
        aad: [UInt8]
    ) -> [UInt8]? {
        let (text, tag) = (ciphertext.dropLast(16), ciphertext.suffix(16))
        do {
            let nonce = try CryptoKit.ChaChaPoly.Nonce(data: nonce)
            let box = try CryptoKit.ChaChaPoly.SealedBox(nonce: nonce, ciphertext: text, tag: tag)
            return [UInt8](try CryptoKit.ChaChaPoly.open(box, using: symmetricKey(key), authenticating: aad))
        } catch {
            return nil
        }
    }

    private static func symmetricKey(_ bytes: RawSpan) -> SymmetricKey {
        unsafe bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }
}

/// CryptoKit accepts more key formats (such as SEC 1) and gives fewer reasons.
final class ES256Handle: Sendable {
    private enum Key {
        case privateKey(P256.Signing.PrivateKey)
        case publicKey(P256.Signing.PublicKey)
    }

    private let key: Key

    private init(_ key: Key) { self.key = key }

    static func ofPrivateKey(pem: RawSpan) throws(ES256Error) -> ES256Handle {
        let der = try PEMBlock.contents(of: pem, label: "PRIVATE KEY")
        do {
            return try der.withBytes { der in
                try unsafe der.withUnsafeBytes {
                    ES256Handle(.privateKey(try unsafe P256.Signing.PrivateKey(derRepresentation: $0)))
                }
            }
        } catch {
            throw .malformed
        }
    }

    static func ofPublicKey(pem: RawSpan) throws(ES256Error) -> ES256Handle {
        let der = try PEMBlock.contents(of: pem, label: "PUBLIC KEY").withBytes { [UInt8](copying: $0) }
        do {
            return ES256Handle(.publicKey(try P256.Signing.PublicKey(derRepresentation: der)))
        } catch {
            throw .malformed
        }
    }

    static func ofPublicKey(x963Representation: [UInt8]) throws(ES256Error) -> ES256Handle {
        do {
            return ES256Handle(.publicKey(try P256.Signing.PublicKey(x963Representation: x963Representation)))
        } catch {
            throw .malformed
        }
    }

    func publicHalf() throws(ES256Error) -> ES256Handle { ES256Handle(.publicKey(publicKey)) }

    func rawSignature(over message: [UInt8]) throws(ES256Error) -> [UInt8] {
        guard case .privateKey(let key) = key else { throw .library(call: "signature(for:)") }
        do {
            return [UInt8](try key.signature(for: message).rawRepresentation)
        } catch {
            throw .library(call: "signature(for:)")
        }
    }

    func isValid(rawSignature: [UInt8], over message: [UInt8]) -> Bool {
        isValid(over: message) { try P256.Signing.ECDSASignature(rawRepresentation: rawSignature) }
    }

    func isValid(derSignature: [UInt8], over message: [UInt8]) -> Bool {
        isValid(over: message) { try P256.Signing.ECDSASignature(derRepresentation: derSignature) }
    }

    private func isValid(over message: [UInt8], _ signature: () throws -> P256.Signing.ECDSASignature) -> Bool {
        do {
            return publicKey.isValidSignature(try signature(), for: message)
        } catch {
            return false
        }
    }

    private var publicKey: P256.Signing.PublicKey {
        switch key {
        case .privateKey(let key): key.publicKey
        case .publicKey(let key): key
        }
    }
}

/// One block of a PEM file (RFC 7468), found by its exact label.
private enum PEMBlock {
    static let fileByteCountMax = 65_536

    /// DER bytes.
    static func contents(of pem: RawSpan, label: String) throws(ES256Error) -> SecretBytes {
        guard pem.byteCount <= fileByteCountMax else {
            throw .tooLong(byteCount: pem.byteCount, byteCountMax: fileByteCountMax)
        }
        guard let start = end(of: "-----BEGIN \(label)-----", in: pem, from: 0),
            let end = end(of: "-----END \(label)-----", in: pem, from: start)
        else { throw .noBlock(label: label) }
        let textEnd = end - "-----END \(label)-----".utf8.count
        var byteCount = 0
        let room = SecretBytes(byteCount: (textEnd - start) * 3 / 4 + 3) { output in
            var buffer: UInt32 = 0
            var bitCount: UInt32 = 0
            for offset in start..<textEnd {
                guard let value = value(of: pem.byte(at: offset)) else { continue }
                buffer = buffer << 6 | value
                bitCount += 6
                guard bitCount >= 8 else { continue }
                bitCount -= 8
                output.storeBytes(
                    of: UInt8(truncatingIfNeeded: buffer >> bitCount),
                    toByteOffset: byteCount,
                    as: UInt8.self
                )
                byteCount += 1
            }
        }
        guard byteCount > 0 else { throw .malformed }
        return room.withBytes { SecretBytes(copying: $0.extracting(first: byteCount)) }
    }

    private static func end(of text: String, in span: RawSpan, from offset: Int) -> Int? {
        let bytes = Array(text.utf8)
        guard span.byteCount - offset >= bytes.count else { return nil }
        for start in offset...(span.byteCount - bytes.count)
        where bytes.indices.allSatisfy({ span.byte(at: start + $0) == bytes[$0] }) {
            return start + bytes.count
        }
        return nil
    }

    /// Standard base64. Other characters (line ends, `=`) are skipped; parsing the DER detects errors.
    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
#endif
