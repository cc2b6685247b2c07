/// Strict base64url (RFC 4648 section 5) without padding: one text for each byte string.
///
/// Foundation's decoder takes `AAB=`, `AB==` and `AA=A` alike, which makes ids and signatures over text malleable. Here
/// `=` and white space are refused, and spare bits are zero.
public enum Base64URL {
    package static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        // Generic code is not specialized across modules.
        encode(Array(bytes))
    }

    package static func encode(_ bytes: ArraySlice<UInt8>) -> [UInt8] { encode(Array(bytes)) }

    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        encode(bytes.span)
    }

    /// ⌈4n / 3⌉ ASCII bytes.
    package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        let (alphabet, pairs) = (alphabet, pairs)
        var text = [UInt8](repeating: 0, count: (bytes.count * 4 + 2) / 3)
        var characters = text.mutableSpan
        var place = 0
        var start = 0
        var raw = unsafe characters.mutableBytes
        // Two characters at a time: a record has hundreds.
        while bytes.count &- start >= 3 {
            let block = Int(bytes[start]) << 16 | Int(bytes[start &+ 1]) << 8 | Int(bytes[start &+ 2])
            raw.storeBytes(of: pairs[block >> 12], toByteOffset: place, as: UInt16.self)
            raw.storeBytes(of: pairs[block & 0xFFF], toByteOffset: place &+ 2, as: UInt16.self)
            start &+= 3
            place &+= 4
        }
        guard start < bytes.count else { return text }
        let second = start + 1 < bytes.count ? Int(bytes[start + 1]) : 0
        let block = Int(bytes[start]) << 16 | second << 8
        for shift in [18, 12, 6] where place < raw.byteCount {
            raw.storeBytes(of: alphabet[block >> shift & 0x3F], toByteOffset: place, as: UInt8.self)
            place += 1
        }
        return text
    }

    /// Canonical text of the bytes.
    public static func string(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: encode(bytes), as: UTF8.self)
    }

    /// Decodes canonical text; nil for any other.
    public static func decode(text: String) -> [UInt8]? { decode(Array(text.utf8)) }

    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        // Generic code is not specialized across modules, and took 20 times as long.
        decode(Array(text))
    }

    /// Nil for anything but canonical text.
    package static func decode(_ characters: [UInt8]) -> [UInt8]? {
        guard characters.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count * 3 / 4)
        var buffer: UInt32 = 0
        var bitCount: UInt32 = 0
        var seen: UInt8 = 0
        for character in characters {
            let value = values[Int(character)]
            seen |= value
            buffer = buffer << 6 | UInt32(value & 0x3F)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bitCount))
            }
        }
        let spareBits = buffer & (1 << bitCount - 1)
        return seen & 0x80 == 0 && spareBits == 0 ? bytes : nil
    }

    /// Checks the alphabet only, not length and spare bits.
    package static func isOfAlphabet(_ text: [UInt8]) -> Bool {
        let span = text.span
        let raw = unsafe span.bytes
        var offset = 0
        // Vectorized: most of a notification is this text.
        while raw.byteCount - offset >= ByteBlock.byteCount {
            let block = ByteBlock(raw, at: offset)
            // In ASCII, bit 0x20 maps only capital letters to small ones.
            let isLetter = (block | ByteBlock(repeating: 0x20)).isWithin("a", "z")
            let isGood = isLetter .| block.isWithin("0", "9") .| block.isEqual("-") .| block.isEqual("_")
            guard (.!isGood).isEmpty else { return false }
            offset += ByteBlock.byteCount
        }
        var seen: UInt8 = 0
        while offset < span.count {
            seen |= values[Int(span[offset])]
            offset += 1
        }
        return seen & 0x80 == 0
    }

    private static let notACharacter: UInt8 = 0xFF

    private static let values = (0...UInt8.max).map { value(of: $0) ?? notACharacter }

    /// 0 ..< 64, or nil outside the alphabet.
    package static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }

    /// 0 ..< 64, or a number above, without a branch or an address that depends on the character.
    package static func secretValue(of character: UInt8) -> UInt32 {
        let code = Int32(character)
        /// All bits within the range; none outside.
        func mask(_ range: ClosedRange<UInt8>) -> Int32 {
            ((Int32(range.lowerBound) - 1 - code) & (code - Int32(range.upperBound) - 1)) >> 31
        }
        let upper = mask(UInt8(ascii: "A")...UInt8(ascii: "Z"))
        let lower = mask(UInt8(ascii: "a")...UInt8(ascii: "z"))
        let digit = mask(UInt8(ascii: "0")...UInt8(ascii: "9"))
        let minus = mask(UInt8(ascii: "-")...UInt8(ascii: "-"))
        let line = mask(UInt8(ascii: "_")...UInt8(ascii: "_"))
        let value =
            upper & (code - Int32(UInt8(ascii: "A"))) | lower & (code - Int32(UInt8(ascii: "a")) + 26)
            | digit & (code - Int32(UInt8(ascii: "0")) + 52) | minus & 62 | line & 63
        return UInt32(truncatingIfNeeded: value | ~(upper | lower | digit | minus | line) & 0x40)
    }

    package static func character(for value: UInt8) -> UInt8 { alphabet[Int(value)] }

    /// Characters of each 12 bits, in the order of memory.
    private static let pairs = (0..<4_096).map { bits in
        UInt16(littleEndian: UInt16(alphabet[bits >> 6]) | UInt16(alphabet[bits & 0x3F]) << 8)
    }

    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
