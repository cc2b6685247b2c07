import Envelope
import Testing

@testable import Keys

struct SafetyCodeTests {
    private let one: SenderKey
    private let other: IdentityKey
    private let code: SafetyCode

    init() throws {
        one = try SafetyExample.sender(0)
        other = try SafetyExample.device(1)
        code = SafetyCode(one, other)
    }

    @Test(arguments: SafetyExample.pairs)
    func `the code is both keys whole, as another implementation writes them (protocol v1, rule 14)`(
        _ pair: SafetyExample.Pair
    ) throws {
        let ours = SafetyCode(try SafetyExample.sender(pair.one), try SafetyExample.device(pair.other))
        let theirs = SafetyCode(try SafetyExample.device(pair.other), try SafetyExample.sender(pair.one))
        #expect(ours.text == pair.code)
        #expect(theirs.text == pair.code)
        #expect(ours.compare(scanned: theirs.text) == .match)
    }

    @Test func `a code of any other pair is a mismatch, with one key in common or none`() throws {
        for pair in SafetyExample.pairs.dropFirst() { #expect(code.compare(scanned: pair.code) == .mismatch) }
        let reflected = SafetyCode(one, one)
        #expect(code.compare(scanned: reflected.text) == .mismatch)
        #expect(reflected.compare(scanned: code.text) == .mismatch)
    }

    /// A flipped bit may break the order of the keys too; it is never a match.
    @Test func `every single bit flipped is no match`() throws {
        let bytes = try #require(Base64URL.decode(Array(code.text.utf8)))
        var verdicts: [SafetyCode.Verdict] = []
        for offset in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[offset] ^= 1 << bit
                verdicts.append(code.compare(scanned: Base64URL.string(flipped)))
            }
        }
        #expect(verdicts.count == 544)
        #expect(!verdicts.contains(.match))
        #expect(verdicts.prefix(32).allSatisfy { $0 == .notACode })
        #expect(verdicts.filter { $0 == .mismatch }.count > 500)
    }

    @Test func `a code cut or extended by any length is no code`() {
        let text = code.text
        for count in 0..<text.utf8.count { #expect(code.compare(scanned: String(text.prefix(count))) == .notACode) }
        for extra in ["A", "=", "AA", "\n", " ", text] { #expect(code.compare(scanned: text + extra) == .notACode) }
        #expect(code.compare(scanned: " " + text) == .notACode)
        #expect(code.compare(scanned: String(repeating: "A", count: 1 << 20)) == .notACode)
    }

    @Test func `only the canonical form of two keys is a code`() throws {
        let bytes = try #require(Base64URL.decode(Array(code.text.utf8)))
        let swapped = Array(bytes[..<4] + bytes[36...] + bytes[4..<36])
        #expect(code.compare(scanned: Base64URL.string(swapped)) == .notACode)
        for mark in ["SPS0", "SPS2", "sps1", "SPB1"] {
            #expect(code.compare(scanned: Base64URL.string(Array(mark.utf8) + bytes[4...])) == .notACode)
        }
        let standardAlphabet = code.text.replacing("_", with: "/").replacing("-", with: "+")
        #expect(standardAlphabet != code.text)
        #expect(code.compare(scanned: standardAlphabet) == .notACode)
        let last = try #require(code.text.last)
        let spare = ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".split(separator: last))
        #expect(code.compare(scanned: code.text.dropLast() + String(spare[1].prefix(1))) == .notACode)
    }

    @Test(arguments: ["", "é", "https://example.com/", "sealedpush-identity-1:AAAA", "\u{0}", "04921 15442 21251"])
    func `other texts are no code`(_ text: String) {
        #expect(code.compare(scanned: text) == .notACode)
    }
}
