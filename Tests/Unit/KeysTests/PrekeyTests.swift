import Envelope
import Primitives
import TestSupport
import Testing

@testable import Keys

struct PrekeyTests {
    // SHA-256 of 13 "SealedPush/1 prekey" 01 class 00...1f 40...5f, by Python's hashlib.
    @Test(arguments: [
        (
            ProtectionClass.afterFirstUnlock,
            "2bbe1b551f737bcbb15fb1425da4bc7483dfe1eca761a1e193eec932231ab6e8"
        ),
        (.unlocked, "475bb056fa367779dcb9c56553841a6c79ae7edda6acda87db3201a25c8b2795"),
    ])
    func `a fingerprint is what another implementation computes`(_ protectionClass: ProtectionClass, _ expected: String)
        throws
    {
        let prekey = try Self.prekey(protectionClass)
        let identity = try IdentityKey(rawRepresentation: Array(0..<32))
        #expect(Hex.encode(prekey.fingerprint(identity: identity)) == expected)
        #expect(Hex.encode(prekey.id(identity: identity)) == expected.prefix(16))
    }

    @Test func `a fingerprint binds class, identity and key, each alone (protocol v1, rule 6)`() throws {
        let identity = try IdentityKey(rawRepresentation: Array(0..<32))
        let other = Device(seed: 140)
        let fingerprints: Set = [
            try Self.prekey(.afterFirstUnlock).fingerprint(identity: identity),
            try Self.prekey(.unlocked).fingerprint(identity: identity),
            try Self.prekey(.afterFirstUnlock).fingerprint(identity: other.identity),
            try Self.prekey(.afterFirstUnlock, firstByte: 0x60).fingerprint(identity: identity),
        ]
        #expect(fingerprints.count == 4)
    }

    private static func prekey(_ protectionClass: ProtectionClass, firstByte: UInt8 = 0x40) throws -> PublicPrekey {
        PublicPrekey(
            suite: .x25519,
            protectionClass: protectionClass,
            key: try X25519PublicKey(rawRepresentation: [firstByte] + Array(0x41..<0x60))
        )
    }
}
