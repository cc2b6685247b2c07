/// Apple's `.strings` table in one language, as text or binary property list. Values that are no strings are refused in
/// text, and skipped in a binary table.
package struct StringsTable: Equatable, Sendable {
    /// Larger than all texts of a large app.
    package static let byteCountMax = 1 << 20

    private var texts: [String: String] = [:]

    /// An empty file is a table without entries. Only `keys` are kept: a whole table takes several times its file's
    /// size.
    package init(bytes: [UInt8], keeping keys: Set<String>? = nil) throws(StringsError) {
        guard bytes.count <= Self.byteCountMax else { throw .tooLong(byteCountMax: Self.byteCountMax) }
        let keep = { (key: String) in keys?.contains(key) ?? true }
        if BinaryStrings.isBinary(bytes) {
            texts = try BinaryStrings(bytes).texts(where: keep)
        } else {
            var parser = StringsParser(try StringsEncoding.text(of: bytes))
            texts = try parser.texts(where: keep)
        }
    }

    package subscript(key: String) -> String? { texts[key] }

    package var count: Int { texts.count }

    package var keys: some Collection<String> { texts.keys }
}

/// Errors of a table, without its contents.
package enum StringsError: Error, Equatable {
    /// File, or its entries together.
    case tooLong(byteCountMax: Int)
    /// Neither UTF-8 nor UTF-16 with a byte order mark.
    case encoding
    /// A string without an end, and its first line.
    case unterminated(line: Int)
    /// No string in place of a key or a value.
    case notAString(line: Int)
    /// Neither `=` nor `;` after a key.
    case noValue(line: Int)
    case noSemicolon(line: Int)
    /// Around the closing brace.
    case junk(line: Int)
    /// Cut short, pointing outside itself, or no dictionary.
    case notADictionary
}
