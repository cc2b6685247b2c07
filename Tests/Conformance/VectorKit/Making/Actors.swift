import Envelope
import Keys
import Primitives
import TestSupport

/// The parties of a vector: their keys come from the vector's name, so that adding a vector changes no other.
struct Actors {
    static let topic = "com.example.chat"
    /// 2027-01-15 08:00 UTC.
    static let start: UInt64 = 1_800_000_000_000
    static let buildDate: UInt64 = 1_795_219_200_000

    var random: SeededRandom
    let identitySeed: [UInt8]
    let identity: IdentityKey
    /// The prekey that messages are sealed to: X25519, usable after the first unlock.
    let prekeySecret: [UInt8]
    let senderSeed: [UInt8]
    let senderKey: SenderKey

    init(name: String) throws {
        let seed = SHA256.hash(Array(name.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        random = SeededRandom(seed: seed)
        identitySeed = random.bytes(count: 32)
        prekeySecret = random.bytes(count: 32)
        senderSeed = random.bytes(count: 32)
        identity = try IdentityKey(rawRepresentation: try Self.publicKey(ofSeed: identitySeed))
        senderKey = try SenderKey(rawRepresentation: try Self.publicKey(ofSeed: senderSeed))
    }

    static func publicKey(ofSeed seed: [UInt8]) throws -> [UInt8] {
        try signingKey(seed: seed).publicKey.rawRepresentation
    }

    static func signingKey(seed: [UInt8]) throws -> Ed25519PrivateKey {
        try Ed25519PrivateKey(seed: SecretBytes(copying: unsafe seed.span.bytes))
    }

    static func agreementKey(_ secret: [UInt8]) throws -> X25519PrivateKey {
        try X25519PrivateKey(rawRepresentation: SecretBytes(copying: unsafe secret.span.bytes))
    }

    static func prekey(_ secret: [UInt8], _ protectionClass: ProtectionClass) throws -> PublicPrekey {
        PublicPrekey(suite: .x25519, protectionClass: protectionClass, key: try agreementKey(secret).publicKey)
    }
}
