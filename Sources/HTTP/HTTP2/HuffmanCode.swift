/// Codes of up to eight bits (RFC 7541 appendix B): of all characters that tokens, ids and numbers have.
///
/// They are canonical: for each length the characters ascend, and so do their codes.
enum HuffmanCode {
    private static let characters: [(bitCount: UInt16, of: String)] = [
        (5, "012aceiost"), (6, " %-./3456789=A_bdfghlmnpru"), (7, ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz"), (8, "&*,;XZ"),
    ]

    /// By character: the code, and above it its length; 0 for a longer code.
    private static let codes: [UInt16] = {
        var codes = [UInt16](repeating: 0, count: 256)
        var code: UInt16 = 0
        for (bitCount, characters) in characters {
            for character in characters.utf8 {
                codes[Int(character)] = bitCount << 8 | code
                code += 1
            }
            code <<= 1
        }
        return codes
    }()

    /// Longest text here, so that its code's length is one byte.
    private static let characterCountMax = 120

    /// Appends a string literal (RFC 7541 section 5.2).
    ///
    /// - Returns: false, and appends nothing, for a text that is too long, has a longer code, or is not shortened.
    static func append(_ text: ArraySlice<UInt8>, to bytes: inout [UInt8]) -> Bool {
        guard text.count <= characterCountMax else { return false }
        // A text's code is no longer than itself; one word more is written.
        var literal = InlineArray<136, UInt8>(repeating: 0)
        var output = literal.mutableSpan
        var raw = unsafe output.mutableBytes
        let text = text.span
        // Read once: a look at a static table each time would cost as much as the rest.
        let codes = codes
        var byteCount = 1
        var bits: UInt64 = 0
        var bitCount: UInt64 = 0
        for index in text.indices {
            let code = UInt64(codes[Int(text[index])])
            guard code != 0 else { return false }
            bits = bits &<< (code &>> 8) | code & 0xFF
            bitCount &+= code &>> 8
            guard bitCount >= 32 else { continue }
            bitCount &-= 32
            let word = UInt32(truncatingIfNeeded: bits &>> bitCount)
            raw.storeBytes(of: word.bigEndian, toByteOffset: byteCount, as: UInt32.self)
            byteCount &+= 4
        }
        // The last byte is filled with ones.
        let rest = UInt32(truncatingIfNeeded: bits &<< (32 &- bitCount)) | .max >> UInt32(bitCount)
        raw.storeBytes(of: rest.bigEndian, toByteOffset: byteCount, as: UInt32.self)
        byteCount += (Int(bitCount) + 7) / 8
        guard byteCount - 1 < text.count else { return false }
        raw.storeBytes(of: 0x80 | UInt8(byteCount - 1), toByteOffset: 0, as: UInt8.self)
        unsafe literal.span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0[..<byteCount]) }
        return true
    }
}
