import Envelope

/// Spelling under which a value is searched for.
package enum CanaryForm: String, CaseIterable, Sendable {
    case plain = "as it is"
    case capitals
    case utf16 = "UTF-16"
    case base64
    case hexadecimal
    /// RFC 3986, also as "\xNN" and "\u00NN".
    case escaped
    /// Numbers with commas, as languages print arrays of bytes.
    case decimal

    /// - Returns: the value's spellings, without what depends on bytes beside it.
    func spellings(of value: [UInt8]) -> [[UInt8]] {
        switch self {
        case .plain: [value]
        case .capitals: Self.capitals(value)
        case .utf16: [value.flatMap { [$0, 0] }, value.flatMap { [0, $0] }]
        case .base64: Self.base64(value)
        case .hexadecimal: [Self.lower, Self.upper].map { digits in value.flatMap { Self.hexadecimal($0, digits) } }
        case .escaped: Self.escaped(value)
        case .decimal: [", ", ","].map { Array(value.map(String.init).joined(separator: $0).utf8) }
        }
    }

    private static func isText(_ value: [UInt8]) -> Bool { value.allSatisfy { (0x21..<0x7F).contains($0) } }

    private static func capitals(_ value: [UInt8]) -> [[UInt8]] {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return isText(value) ? [value.map { letters.contains($0) ? $0 - 0x20 : $0 }] : []
    }

    /// Both alphabets, at each of the three places in a group; without characters that neighbours change.
    private static func base64(_ value: [UInt8]) -> [[UInt8]] {
        (0..<3).flatMap { place in
            let text = Base64URL.encode([UInt8](repeating: 0, count: place) + value)
            let inner = Array(text[(place == 0 ? 0 : place + 1)..<((place + value.count) * 8 / 6)])
            let other = inner.map { byte in
                switch byte {
                case UInt8(ascii: "-"): UInt8(ascii: "+")
                case UInt8(ascii: "_"): UInt8(ascii: "/")
                default: byte
                }
            }
            return [inner, other]
        }
    }

    private static let lower = Array("0123456789abcdef".utf8)
    private static let upper = Array("0123456789ABCDEF".utf8)

    private static func hexadecimal(_ byte: UInt8, _ digits: [UInt8]) -> [UInt8] {
        [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
    }

    private static func escaped(_ value: [UInt8]) -> [[UInt8]] {
        guard !isText(value) else { return [] }
        return ["%", "\\x", "\\u00"].flatMap { lead in
            [lower, upper].map { digits in
                value.flatMap { byte in
                    (0x21..<0x7F).contains(byte) ? [byte] : Array(lead.utf8) + hexadecimal(byte, digits)
                }
            }
        }
    }
}
