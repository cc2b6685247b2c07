import Networking
import Primitives

/// Attestation object of App Attest: Apple's statement that a key is in the Secure Enclave of a device that runs the app.
///
/// - Source: Apple, "Validating apps that connect to your server", the steps in its order.
enum AppAttestation {
    private static let format = Array("apple-appattest".utf8)
    private static let nonceExtension = "1.2.840.113635.100.8.2"
    /// SEQUENCE, [1], OCTET STRING of 32 bytes.
    private static let noncePrefix: [UInt8] = [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20]
    /// SubjectPublicKeyInfo of a point of P-256 before its 65 bytes (RFC 5480 section 2).
    private static let pointPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// Verifies an object offline.
    ///
    /// - Parameters:
    ///   - keyID: 32 bytes.
    ///   - clientDataHash: 32 bytes, of what the app attested.
    ///   - now: seconds since 1970.
    /// - Returns: the key's public half, 65 bytes (X9.63).
    static func verify(
        _ object: [UInt8],
        keyID: [UInt8],
        clientDataHash: [UInt8],
        _ rule: AppAttestRule,
        now: Int64
    ) throws(AppAttestError) -> [UInt8] {
        let (chain, authenticatorData) = try read(object)
        let certificates = chain.compactMap { TLSCertificate(der: $0) }
        guard certificates.count == chain.count, let leaf = certificates.first else { throw .malformed }
        guard leaf.isIssued(through: Array(certificates.dropFirst()), by: rule.roots, at: now) else { throw .chain }
        let nonce = SHA256.hash(authenticatorData, clientDataHash)
        guard leaf.extensionValue(of: nonceExtension) == noncePrefix + nonce else { throw .nonce }
        let keyInfo = leaf.publicKeyDER
        guard keyInfo.count == pointPrefix.count + P256PublicKey.byteCount, keyInfo.starts(with: pointPrefix) else {
            throw .malformed
        }
        let publicKey = Array(keyInfo.dropFirst(pointPrefix.count))
        guard SHA256.hash(publicKey) == keyID else { throw .keyID }
        let data = try AuthenticatorData(authenticatorData)
        guard data.appIDHash == rule.appIDHash else { throw .appID }
        guard data.counter == 0 else { throw .counter }
        guard let credential = data.credential else { throw .malformed }
        guard credential.environmentID == rule.environmentID else { throw .environment }
        guard credential.keyID == keyID else { throw .keyID }
        return publicKey
    }

    private static func read(_ object: [UInt8]) throws(AppAttestError) -> (chain: [[UInt8]], data: [UInt8]) {
        var reader = CBORReader(object)
        guard try reader.count(.map) == 3 else { throw .malformed }
        var (isOfFormat, chain, data): (Bool, [[UInt8]]?, [UInt8]?) = (false, nil, nil)
        for _ in 0..<3 {
            switch String(decoding: try reader.text(), as: UTF8.self) {
            case "fmt": isOfFormat = try reader.text() == format
            case "attStmt": chain = try statement(&reader)
            case "authData": data = try reader.bytes()
            default: throw .malformed
            }
        }
        try reader.end()
        guard isOfFormat, let chain, let data else { throw .malformed }
        return (chain, data)
    }

    /// The receipt, for Apple's estimate of fraud, is not used.
    private static func statement(_ reader: inout CBORReader) throws(AppAttestError) -> [[UInt8]] {
        var chain: [[UInt8]] = []
        let count = try reader.count(.map)
        guard (1...2).contains(count) else { throw .malformed }
        for _ in 0..<count {
            switch String(decoding: try reader.text(), as: UTF8.self) {
            case "x5c":
                let certificateCount = try reader.count(.array)
                guard (2...4).contains(certificateCount) else { throw .malformed }
                chain = []
                for _ in 0..<certificateCount { chain.append(try reader.bytes()) }
            case "receipt": _ = try reader.bytes()
            default: throw .malformed
            }
        }
        guard !chain.isEmpty else { throw .malformed }
        return chain
    }
}

/// Assertion object of App Attest: a signature of an attested key.
///
/// - Source: as above; the flags, in which phones claim a credential that is not there, are not read.
enum AppAssertion {
    /// - Parameter publicKey: 65 bytes, attested before.
    /// - Returns: the counter, which the caller compares with the last.
    static func verify(
        _ object: [UInt8],
        publicKey: [UInt8],
        clientDataHash: [UInt8],
        _ rule: AppAttestRule
    ) throws(AppAttestError) -> UInt32 {
        var reader = CBORReader(object)
        guard try reader.count(.map) == 2 else { throw .malformed }
        var (signature, bytes): ([UInt8]?, [UInt8]?) = (nil, nil)
        for _ in 0..<2 {
            switch String(decoding: try reader.text(), as: UTF8.self) {
            case "signature": signature = try reader.bytes()
            case "authenticatorData": bytes = try reader.bytes()
            default: throw .malformed
            }
        }
        try reader.end()
        guard let signature, let bytes else { throw .malformed }
        let data = try AuthenticatorData(bytes)
        guard let key = try? ES256PublicKey(x963Representation: publicKey) else { throw .malformed }
        // ECDSA hashes the nonce, itself a hash, once more.
        let nonce = SHA256.hash(bytes, clientDataHash)
        guard key.isValid(derSignature: signature, over: nonce) else { throw .signature }
        guard data.appIDHash == rule.appIDHash else { throw .appID }
        return data.counter
    }
}

/// - Source: WebAuthn level 2, section 6.1.
private struct AuthenticatorData {
    static let headByteCount = 37

    let appIDHash: [UInt8]
    let counter: UInt32
    /// nil if there is nothing behind the counter.
    let credential: (environmentID: [UInt8], keyID: [UInt8])?

    init(_ bytes: [UInt8]) throws(AppAttestError) {
        guard bytes.count >= Self.headByteCount else { throw .malformed }
        appIDHash = Array(bytes[..<32])
        counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        guard bytes.count >= 87, bytes[53] == 0, bytes[54] == 32 else {
            credential = nil
            return
        }
        credential = (Array(bytes[37..<53]), Array(bytes[55..<87]))
    }
}
