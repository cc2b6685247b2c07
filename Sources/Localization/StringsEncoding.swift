/// UTF-16 with a byte order mark, or UTF-8. Apple's reader does not recognise UTF-16 without a mark either.
enum StringsEncoding {
    static func text(of bytes: [UInt8]) throws(StringsError) -> String {
        if bytes.starts(with: [0xFF, 0xFE]) { return try utf16(bytes, high: 1) }
        if bytes.starts(with: [0xFE, 0xFF]) { return try utf16(bytes, high: 0) }
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard let text = String(validating: bytes[start...], as: UTF8.self) else { throw .encoding }
        return text
    }

    /// A lone surrogate becomes U+FFFD: it spoils a letter, not the table. `high` is the index of the upper byte.
    private static func utf16(_ bytes: [UInt8], high: Int) throws(StringsError) -> String {
        guard bytes.count % 2 == 0 else { throw .encoding }
        let units = (1..<bytes.count / 2).lazy.map { index in
            UInt16(bytes[2 * index + high]) << 8 | UInt16(bytes[2 * index + 1 - high])
        }
        return String(decoding: units, as: UTF16.self)
    }
}
