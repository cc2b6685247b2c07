/// App's tables: `<folder>/<language>.lproj/Localizable.strings`, as in a bundle. Files are not kept, because an
/// extension has little memory.
package struct LocalizedTables: Equatable, Sendable {
    private static let languageCountMax = 16
    /// For keys missing in all preferred languages.
    private static let lastLanguages = ["Base", "en"]

    private let folder: String
    private let table: String
    /// In order of look-up.
    package let languages: [String]

    /// - Parameter languages: best first, as in `Locale.preferredLanguages`. Each precedes its shorter forms (`de-AT`,
    ///   `de`); `Base` and `en` come last. Names that could leave the folder are dropped.
    package init(folder: String, languages: [String], table: String = "Localizable") {
        self.folder = folder
        self.table = table
        let wanted = languages.prefix(Self.languageCountMax).filter(Self.isLanguage).flatMap(Self.withShorterForms)
        var unique: [String] = []
        for language in wanted + Self.lastLanguages where !unique.contains(language) { unique.append(language) }
        self.languages = unique
    }

    /// Text of the first language with the key. Malformed tables have no keys.
    package func string(_ key: String) -> String? {
        for language in languages {
            guard let bytes = TableFile.read("\(folder)/\(language).lproj/\(table).strings") else { continue }
            // Malformed tables are for the app's tests to find.
            if let text = (try? StringsTable(bytes: bytes, keeping: [key]))?[key] { return text }
        }
        return nil
    }

    /// BCP 47 tag, or an old name such as `English`.
    private static func isLanguage(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static func withShorterForms(_ language: String) -> [String] {
        let parts = language.split(separator: "-", omittingEmptySubsequences: false)
        return parts.indices.reversed().map { parts[...$0].joined(separator: "-") }.filter { !$0.isEmpty }
    }
}
