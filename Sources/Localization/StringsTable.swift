/// One of Apple's `.strings` tables: key → text in one language.
///
/// Reads what Apple's own reader reads, as text or as the binary property list that Xcode makes of it. Values that are no
/// strings, as a property list may hold them, are refused in a text and passed over in a binary table.
package struct StringsTable: Equatable, Sendable {
    /// A table with every text of a large app is smaller.
    package static let byteCountMax = 1 << 20

    private var texts: [String: String] = [:]

    /// - Parameters:
    ///   - bytes: a file; one without a single byte is a table without an entry.
    ///   - keys: the only entries to keep; nil for all. A table costs several times its file in memory, and an
    ///     extension wants one text of it.
    /// - Throws: `StringsError`.
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

/// Why bytes are no table. Names lines, never their contents.
package enum StringsError: Error, Equatable {
    /// The file, or all that its entries come to.
    case tooLong(byteCountMax: Int)
    /// Neither UTF-8 nor UTF-16 with a byte order mark.
    case encoding
    /// A quoted string without an end; the line it begins on.
    case unterminated(line: Int)
    /// Something else than a string where a key or a value has to be.
    case notAString(line: Int)
    /// Neither `=` nor `;` behind a key.
    case noValue(line: Int)
    case noSemicolon(line: Int)
    /// Behind the closing brace of a table that has braces, or in its place.
    case junk(line: Int)
    /// A binary property list that is cut short, points outside itself, or is no dictionary.
    case notADictionary
}
