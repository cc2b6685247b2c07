import Envelope
import FuzzSupport
import Keys
import Primitives

/// Fields with a length, a version or a signature that a fuzzer would not hit. In an input `~` and a letter stand for
/// one.
enum Stock {
    static let placeholder = {
        guard let placeholder = try? Placeholder(localizationKey: "NEW") else { fatalError("a key of letters is one") }
        return placeholder
    }()

    private static let mark = UInt8(ascii: "~")
    private static let fields: [UInt8: [UInt8]] = [
        UInt8(ascii: "s"): sealed(.alert),
        UInt8(ascii: "v"): sealed(.voip),
        UInt8(ascii: "w"): Array(repeating: UInt8(ascii: "A"), count: 136),
        UInt8(ascii: "k"): Base64URL.encode(bundle),
        UInt8(ascii: "t"): Array(repeating: UInt8(ascii: "A"), count: 22),
        UInt8(ascii: "h"): Array(repeating: UInt8(ascii: "A"), count: 43),
    ]

    static func filled(_ text: [UInt8]) -> [UInt8] {
        var filled: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == mark, let letter = rest.first, let field = fields[letter] else {
                filled.append(byte)
                continue
            }
            filled += field
            rest = rest.dropFirst()
        }
        return filled
    }

    private static func sealed(_ pushClass: PushClass) -> [UInt8] {
        let suite = Suite.x25519
        return Envelope(
            pushClass: pushClass,
            header: EnvelopeHeader(suite: suite, prekeyID: Array(1...8)),
            encapsulatedKey: Array(repeating: 7, count: suite.encapsulatedKeyByteCount),
            ciphertext: Array(repeating: 9, count: pushClass.frameByteCount(suite) + Envelope.tagByteCount)
        )
        .sealedField
    }

    /// A bundle for com.example.chat.
    private static let bundle = {
        var random = FixedRandom(seed: 1)
        let identityKey = Ed25519PrivateKey(random: &random)
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        let prekey = PublicPrekey(
            suite: .x25519,
            protectionClass: .afterFirstUnlock,
            key: X25519PrivateKey(random: &random).publicKey
        )
        let entry = KeyBundle.Entry(prekey: prekey, notBefore: now, notAfter: now.advanced(by: .seconds(86_400)))
        do {
            return try KeyBundle(
                identity: IdentityKey(identityKey.publicKey),
                epoch: 1,
                issuedAt: now,
                topic: BundleID("com.example.chat"),
                entries: [entry]
            )
            .signed(by: identityKey)
        } catch {
            fatalError("a bundle of one key is one")
        }
    }()
}
