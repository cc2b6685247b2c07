import Primitives
import TestSupport
import Testing

@testable import Keys

/// Expected values by Python, which shares nothing with ours but the specification:
///
///     import base64, hashlib
///     def LP(x): return bytes([len(x)]) + x
///     def fp(k):
///         d = hashlib.sha512(LP(b"SealedPush/1 safety") + k).digest()
///         for _ in range(5199): d = hashlib.sha512(d + k).digest()
///         return "".join("%05d" % (int.from_bytes(d[5*i:5*i+5], "big") % 100000) for i in range(6))
///     def number(a, b):
///         x, y = fp(a), fp(b)
///         n = min(x, y) + max(x, y)
///         return " ".join(n[i:i+5] for i in range(0, 60, 5))
///     def code(a, b): return base64.urlsafe_b64encode(b"SPS1" + min(a, b) + max(a, b)).rstrip(b"=").decode()
///
/// The keys are the public keys of RFC 8032 section 7.1: tests 1, 2, 3, 1024 and SHA(abc).
enum SafetyExample {
    static let keys = [
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e",
        "ec172b93ad5e563f4932c70e1b245034c35467ef2efd4d64ebf819683467e2bf",
    ]

    struct Pair: Sendable, CustomTestStringConvertible {
        let one: Int
        let other: Int
        let number: String
        let code: String

        var testDescription: String { "keys \(one) and \(other)" }
    }

    static let pairs = [
        Pair(
            one: 0,
            other: 1,
            number: "04921 15442 21251 64284 08482 85057 66434 16365 12689 27263 40055 70171",
            code: "U1BTMT1AF8PoQ4lakrcKp00bfrycmCzPLsSWjMDNVfEq9GYM11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
        ),
        Pair(
            one: 1,
            other: 2,
            number: "62876 11262 10963 94401 43305 91299 66434 16365 12689 27263 40055 70171",
            code: "U1BTMT1AF8PoQ4lakrcKp00bfrycmCzPLsSWjMDNVfEq9GYM_FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU"
        ),
        Pair(
            one: 2,
            other: 3,
            number: "62876 11262 10963 94401 43305 91299 64989 48607 58893 55614 12064 66383",
            code: "U1BTMSeBF_wUTHI0D2fQ8jFug4bO_78rJCjJxR_vfFl_HUJu_FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU"
        ),
        Pair(
            one: 3,
            other: 4,
            number: "64989 48607 58893 55614 12064 66383 65430 12113 13240 41612 28481 90018",
            code: "U1BTMSeBF_wUTHI0D2fQ8jFug4bO_78rJCjJxR_vfFl_HUJu7Bcrk61eVj9JMscOGyRQNMNUZ-8u_U1k6_gZaDRn4r8"
        ),
        Pair(
            one: 0,
            other: 4,
            number: "04921 15442 21251 64284 08482 85057 65430 12113 13240 41612 28481 90018",
            code: "U1BTMddamAGCsQq31Uv-08lkBzoO4XLz2qYjJa8CGmj3B1Ea7Bcrk61eVj9JMscOGyRQNMNUZ-8u_U1k6_gZaDRn4r8"
        ),
    ]

    static func sender(_ index: Int) throws -> SenderKey {
        try SenderKey(rawRepresentation: Hex.decode(keys[index]) ?? [])
    }

    static func device(_ index: Int) throws -> IdentityKey {
        try IdentityKey(rawRepresentation: Hex.decode(keys[index]) ?? [])
    }
}

struct SafetyNumberTests {
    @Test(arguments: SafetyExample.pairs)
    func `the number is what another implementation computes (protocol v1, rule 14)`(_ pair: SafetyExample.Pair) throws
    {
        let number = SafetyNumber(try SafetyExample.sender(pair.one), try SafetyExample.device(pair.other))
        #expect(number.text == pair.number)
        #expect(number.groups == pair.number.split(separator: " ").map(String.init))
    }

    @Test(arguments: SafetyExample.pairs)
    func `both sides see the same number, whichever key is whose`(_ pair: SafetyExample.Pair) throws {
        let ours = SafetyNumber(try SafetyExample.sender(pair.one), try SafetyExample.device(pair.other))
        let theirs = SafetyNumber(try SafetyExample.device(pair.other), try SafetyExample.sender(pair.one))
        #expect(ours == theirs)
        #expect(ours == SafetyNumber(try SafetyExample.device(pair.one), try SafetyExample.device(pair.other)))
    }

    @Test func `each key has thirty digits of its own, whatever the other key (protocol v1, rule 14)`() throws {
        let fingerprint = SafetyNumber.groups(of: try SafetyExample.sender(1).rawRepresentation)
        #expect(fingerprint.count == 6)
        for other in [0, 2, 3, 4] {
            let number = SafetyNumber(try SafetyExample.sender(1), try SafetyExample.device(other))
            #expect(Array(number.groups.prefix(6)) == fingerprint || Array(number.groups.suffix(6)) == fingerprint)
        }
    }

    @Test func `random keys give twelve groups of five digits, the smaller half first`() {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        for _ in 0..<20 {
            let one = IdentityKey(Ed25519PrivateKey(random: &random).publicKey)
            let other = SenderKey(Ed25519PrivateKey(random: &random).publicKey)
            let number = SafetyNumber(one, other)
            #expect(number.groups.count == 12, "seed \(seed)")
            #expect(number.groups.allSatisfy { $0.count == 5 && $0.allSatisfy(\.isASCII) && Int($0) != nil })
            #expect(number.groups.prefix(6).joined() <= number.groups.suffix(6).joined(), "seed \(seed)")
            #expect(number.text.count == 71, "seed \(seed)")
        }
    }

    @Test func `one bit of a key changes its half of the number, and the other half never`() throws {
        let key = try SafetyExample.device(0)
        let other = try SafetyExample.sender(1)
        var count = 0
        for bit in 0..<8 {
            var bytes = key.rawRepresentation
            bytes[7] ^= 1 << bit
            let changed = SafetyNumber(try IdentityKey(rawRepresentation: bytes), other)
            #expect(changed != SafetyNumber(key, other))
            let half = SafetyNumber.groups(of: other.rawRepresentation)
            #expect(Array(changed.groups.prefix(6)) == half || Array(changed.groups.suffix(6)) == half)
            count += 1
        }
        #expect(count == 8)
    }
}
