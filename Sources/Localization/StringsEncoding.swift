/// The bytes of a table's file as text: UTF-16 with a byte order mark, or UTF-8 with or without one. UTF-16 without a mark
/// is not recognised by Apple's reader either.
enum StringsEncoding {
    static func text(of bytes: [UInt8]) throws(StringsError) -> String {
        if bytes.starts(with: [0xFF, 0xFE]) { return try utf16(bytes, high: 1) }
        if bytes.starts(with: [0xFE, 0xFF]) { return try utf16(bytes, high: 0) }
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard let text = String(validating: bytes[start...], as: UTF8.self) else { throw .encoding }
        return text
    }

    /// Half a pair of surrogates becomes U+FFFD: it spoils a letter, not the table.
    ///
    /// - Parameters:
    ///   - bytes: the mark and what is behind it.
    ///   - high: where in a pair of bytes the upper one is.
    /// - Returns: the text behind the mark.
    /// - Throws: `.encoding` for half a unit.
    private static func utf16(_ bytes: [UInt8], high: Int) throws(StringsError) -> String {
        guard bytes.count % 2 == 0 else { throw .encoding }
        let units = (1..<bytes.count / 2).lazy.map { index in
            UInt16(bytes[2 * index + high]) << 8 | UInt16(bytes[2 * index + 1 - high])
        }
        return String(decoding: units, as: UTF16.self)
    }
}
