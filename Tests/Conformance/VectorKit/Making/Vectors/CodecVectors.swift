import Envelope
import Keys
import Primitives
import TestSupport

enum CodecVectors {
    static func make() throws -> [Vector] { base64URL() + (try safetyNumbers()) }

    private static func base64URL() -> [Vector] {
        let cases: [(String, String, String, String?)] = [
            ("empty", "nothing is the text of no bytes", "", ""), ("one", "one byte", "AA", "00"),
            ("two", "two bytes", "__8", "ffff"), ("three", "three bytes", "-_-_", "fbffbf"),
            ("one-character", "a single character holds no byte", "A", nil),
            ("padding", "padding", "AA==", nil), ("padding-short", "padding that is too short", "AAA=", nil),
            ("spare-bits-4", "four spare bits that are not zero", "AB", nil),
            ("spare-bits-2", "two spare bits that are not zero", "AAB", nil),
            ("plus", "a plus sign", "AA+A", nil), ("slash", "a slash", "AA/A", nil),
            ("space", "a space", "AA A", nil), ("newline", "an end of line", "AAA\n", nil),
            ("nul", "a NUL", "AA\u{0}A", nil),
            ("unicode", "a letter that is not ASCII", "AAÄ", nil),
        ]
        return cases.map { name, title, text, hex in
            var vector = Vector(name: "base64url-\(name)", title: title, kind: "base64url", cases: [10])
            vector.add("expect", hex == nil ? "refused" : "valid")
            if let hex { vector.add("bytes", hex.isEmpty ? "-" : hex) }
            vector.input = Array(text.utf8)
            return vector
        }
    }

    private static func safetyNumbers() throws -> [Vector] {
        let expected: [(name: String, one: UInt8, other: UInt8)] = [("a", 1, 2), ("swapped", 2, 1), ("alike", 3, 3)]
        return try expected.map { name, one, other in
            var vector = Vector(
                name: "safety-number-\(name)",
                title: "the safety number of two keys",
                kind: "safety-number",
                cases: [],
                rules: [14]
            )
            let keys = try [one, other].map { try Actors.publicKey(ofSeed: [UInt8](repeating: $0, count: 32)) }
            vector.add("one", Base64URL.string(keys[0]))
            vector.add("other", Base64URL.string(keys[1]))
            vector.add("expect", "number")
            let number = SafetyNumber(
                try IdentityKey(rawRepresentation: keys[0]),
                try SenderKey(rawRepresentation: keys[1])
            )
            let code = SafetyCode(
                try IdentityKey(rawRepresentation: keys[0]),
                try SenderKey(rawRepresentation: keys[1])
            )
            vector.add("number", number.text)
            vector.add("qr", code.text)
            return vector
        }
    }
}
