public import Foundation

/// cryptokit/hpkepublickeyserialization
public protocol HPKEPublicKeySerialization {
    /// cryptokit/hpkepublickeyserialization/init(_:kem:)
    init<D: ContiguousBytes>(_ serialization: D, kem: HPKE.KEM) throws

    /// cryptokit/hpkepublickeyserialization/hpkerepresentation(kem:)
    func hpkeRepresentation(kem: HPKE.KEM) throws -> Data
}

/// cryptokit/hpkediffiehellmanpublickey
public protocol HPKEDiffieHellmanPublicKey: HPKEPublicKeySerialization where EphemeralPrivateKey.PublicKey == Self {
    /// cryptokit/hpkediffiehellmanpublickey/ephemeralprivatekey
    associatedtype EphemeralPrivateKey: HPKEDiffieHellmanPrivateKeyGeneration
}

/// cryptokit/hpkediffiehellmanprivatekey
public protocol HPKEDiffieHellmanPrivateKey: DiffieHellmanKeyAgreement where PublicKey: HPKEDiffieHellmanPublicKey {}

/// cryptokit/hpkediffiehellmanprivatekeygeneration
public protocol HPKEDiffieHellmanPrivateKeyGeneration: HPKEDiffieHellmanPrivateKey {
    /// cryptokit/hpkediffiehellmanprivatekeygeneration/init()
    init()
}

extension Curve25519.KeyAgreement.PrivateKey: HPKEDiffieHellmanPrivateKeyGeneration {}

extension Curve25519.KeyAgreement.PublicKey: HPKEDiffieHellmanPublicKey {
    /// cryptokit/curve25519/keyagreement/publickey/ephemeralprivatekey
    public typealias EphemeralPrivateKey = Curve25519.KeyAgreement.PrivateKey

    /// cryptokit/curve25519/keyagreement/publickey/init(_:kem:)
    public init<D: ContiguousBytes>(_ serialization: D, kem: HPKE.KEM) throws {
        guard kem == .Curve25519_HKDF_SHA256 else { throw HPKE.Errors.inconsistentCiphersuiteAndKey }
        try self.init(rawRepresentation: serialization)
    }

    /// cryptokit/curve25519/keyagreement/publickey/hpkerepresentation(kem:)
    public func hpkeRepresentation(kem: HPKE.KEM) throws -> Data {
        guard kem == .Curve25519_HKDF_SHA256 else { throw HPKE.Errors.inconsistentCiphersuiteAndKey }
        return rawRepresentation
    }
}

extension P256.KeyAgreement.PrivateKey: HPKEDiffieHellmanPrivateKeyGeneration {
    /// cryptokit/p256/keyagreement/privatekey/init()
    public init() { self.init(compactRepresentable: false) }
}

extension P256.KeyAgreement.PublicKey: HPKEDiffieHellmanPublicKey {
    /// cryptokit/p256/keyagreement/publickey/ephemeralprivatekey
    public typealias EphemeralPrivateKey = P256.KeyAgreement.PrivateKey

    /// cryptokit/p256/keyagreement/publickey/init(_:kem:)
    public init<D: ContiguousBytes>(_ serialization: D, kem: HPKE.KEM) throws {
        guard kem == .P256_HKDF_SHA256 else { throw HPKE.Errors.inconsistentCiphersuiteAndKey }
        try self.init(x963Representation: serialization)
    }

    /// cryptokit/p256/keyagreement/publickey/hpkerepresentation(kem:)
    public func hpkeRepresentation(kem: HPKE.KEM) throws -> Data {
        guard kem == .P256_HKDF_SHA256 else { throw HPKE.Errors.inconsistentCiphersuiteAndKey }
        return x963Representation
    }
}

/// Key encapsulation of RFC 9180 section 4.1, with SHA-256: that of both curves.
struct DHKEM {
    private let kem: HPKE.KEM
    private let kdf: LabeledKDF

    init(_ kem: HPKE.KEM) {
        self.kem = kem
        kdf = LabeledKDF(.HKDF_SHA256, suite: Array("KEM".utf8) + bigEndian(kem.number))
    }

    func encapsulate<PK: HPKEDiffieHellmanPublicKey>(
        to key: PK
    ) throws -> (secret: SymmetricKey, encapsulated: Data) {
        let ephemeral = PK.EphemeralPrivateKey()
        let encapsulated = try ephemeral.publicKey.hpkeRepresentation(kem: kem)
        let context = try encapsulated + key.hpkeRepresentation(kem: kem)
        return (secret([try ephemeral.sharedSecretFromKeyAgreement(with: key)], context), encapsulated)
    }

    func encapsulate<SK: HPKEDiffieHellmanPrivateKey>(
        to key: SK.PublicKey,
        from own: SK
    ) throws -> (secret: SymmetricKey, encapsulated: Data) {
        let ephemeral = SK.PublicKey.EphemeralPrivateKey()
        let encapsulated = try ephemeral.publicKey.hpkeRepresentation(kem: kem)
        let ends = try key.hpkeRepresentation(kem: kem) + own.publicKey.hpkeRepresentation(kem: kem)
        let secrets = [
            try ephemeral.sharedSecretFromKeyAgreement(with: key), try own.sharedSecretFromKeyAgreement(with: key),
        ]
        return (secret(secrets, encapsulated + ends), encapsulated)
    }

    /// - Parameter sender: nil in a mode without authentication.
    func decapsulate<SK: HPKEDiffieHellmanPrivateKey>(
        _ encapsulated: Data,
        with own: SK,
        from sender: SK.PublicKey? = nil
    ) throws -> SymmetricKey {
        var secrets = [try own.sharedSecretFromKeyAgreement(with: SK.PublicKey(encapsulated, kem: kem))]
        var context = try encapsulated + own.publicKey.hpkeRepresentation(kem: kem)
        if let sender {
            secrets.append(try own.sharedSecretFromKeyAgreement(with: sender))
            context += try sender.hpkeRepresentation(kem: kem)
        }
        return secret(secrets, context)
    }

    private func secret(_ secrets: [SharedSecret], _ context: Data) -> SymmetricKey {
        let joined = secrets.flatMap { secret in unsafe secret.withUnsafeBytes { unsafe Array($0) } }
        let key = kdf.extract(salt: [], "eae_prk", joined)
        return kdf.expand(key, "shared_secret", Array(context), byteCount: 32)
    }
}

func bigEndian(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] }
