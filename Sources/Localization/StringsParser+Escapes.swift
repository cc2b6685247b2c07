extension StringsParser {
    /// UTF-16; nil at the end of the text.
    mutating func escape() -> [UInt16]? {
        guard let scalar = peek else { return nil }
        switch scalar {
        case "0"..."7": return [octal()]
        // To Apple's reader a small `u` is a letter.
        case "U":
            advance()
            return [hexadecimal()]
        default:
            advance()
            return Self.controls[scalar].map { [$0] } ?? UTF16.encode(scalar).map(Array.init) ?? []
        }
    }

    private static let controls: [Unicode.Scalar: UInt16] = [
        "a": 0x07, "b": 0x08, "f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B,
    ]

    /// At most three digits, truncated to one byte.
    private mutating func octal() -> UInt16 {
        var byte: UInt8 = 0
        for _ in 0..<3 {
            guard let scalar = peek, let digit = Self.digit(scalar), digit < 8 else { break }
            advance()
            byte = byte << 3 | digit
        }
        return byte < 0x80 ? UInt16(byte) : Self.nextStep[Int(byte) - 0x80]
    }

    /// At most four digits.
    private mutating func hexadecimal() -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let scalar = peek, let digit = Self.digit(scalar) else { break }
            advance()
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
        switch scalar {
        case "0"..."9": UInt8(scalar.value - 0x30)
        case "a"..."f": UInt8(scalar.value - 0x61 + 10)
        case "A"..."F": UInt8(scalar.value - 0x41 + 10)
        default: nil
        }
    }

    /// Upper half of NEXTSTEP's encoding, for octal escapes.
    ///
    /// - Source: https://www.unicode.org/Public/MAPPINGS/VENDORS/NEXT/NEXTSTEP.TXT
    private static let nextStep: [UInt16] = [
        0x00A0, 0x00C0, 0x00C1, 0x00C2, 0x00C3, 0x00C4, 0x00C5, 0x00C7, 0x00C8, 0x00C9, 0x00CA, 0x00CB, 0x00CC,
        0x00CD, 0x00CE, 0x00CF, 0x00D0, 0x00D1, 0x00D2, 0x00D3, 0x00D4, 0x00D5, 0x00D6, 0x00D9, 0x00DA, 0x00DB,
        0x00DC, 0x00DD, 0x00DE, 0x00B5, 0x00D7, 0x00F7, 0x00A9, 0x00A1, 0x00A2, 0x00A3, 0x2044, 0x00A5, 0x0192,
        0x00A7, 0x00A4, 0x2019, 0x201C, 0x00AB, 0x2039, 0x203A, 0xFB01, 0xFB02, 0x00AE, 0x2013, 0x2020, 0x2021,
        0x00B7, 0x00A6, 0x00B6, 0x2022, 0x201A, 0x201E, 0x201D, 0x00BB, 0x2026, 0x2030, 0x00AC, 0x00BF, 0x00B9,
        0x02CB, 0x00B4, 0x02C6, 0x02DC, 0x00AF, 0x02D8, 0x02D9, 0x00A8, 0x00B2, 0x02DA, 0x00B8, 0x00B3, 0x02DD,
        0x02DB, 0x02C7, 0x2014, 0x00B1, 0x00BC, 0x00BD, 0x00BE, 0x00E0, 0x00E1, 0x00E2, 0x00E3, 0x00E4, 0x00E5,
        0x00E7, 0x00E8, 0x00E9, 0x00EA, 0x00EB, 0x00EC, 0x00C6, 0x00ED, 0x00AA, 0x00EE, 0x00EF, 0x00F0, 0x00F1,
        0x0141, 0x00D8, 0x0152, 0x00BA, 0x00F2, 0x00F3, 0x00F4, 0x00F5, 0x00F6, 0x00E6, 0x00F9, 0x00FA, 0x00FB,
        0x0131, 0x00FC, 0x00FD, 0x0142, 0x00F8, 0x0153, 0x00DF, 0x00FE, 0x00FF, 0x0000, 0x0000,
    ]
}
