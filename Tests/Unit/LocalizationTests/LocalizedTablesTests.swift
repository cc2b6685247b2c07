import Foundation
import TestSupport
import Testing

@testable import Localization

struct LocalizedTablesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func put(_ text: String, _ language: String, table: String = "Localizable") throws {
        let path = folder.path(language + ".lproj")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/\(table).strings"))
    }

    private func string(_ key: String, _ languages: String...) -> String? {
        LocalizedTables(folder: folder.path(""), languages: languages).string(key)
    }

    @Test func `a language falls back to its shorter forms, the next one, Base and English`() {
        let tables = LocalizedTables(folder: "/x", languages: ["de-AT", "zh-Hant-TW", "de", "en"])
        #expect(tables.languages == ["de-AT", "de", "zh-Hant-TW", "zh-Hant", "zh", "en", "Base"])
        #expect(LocalizedTables(folder: "/x", languages: []).languages == ["Base", "en"])
    }

    @Test func `a text is that of the first language that has it`() throws {
        try put("a = Servus; ", "de-AT")
        try put("a = Hallo; b = Tschuess;", "de")
        try put("a = Base; c = Fallback;", "Base")
        try put("a = Hello; d = Bye;", "en")
        #expect(string("a", "de-AT") == "Servus")
        #expect(string("b", "de-AT") == "Tschuess")
        #expect(string("c", "de-AT") == "Fallback")
        #expect(string("d", "de-AT") == "Bye")
        #expect(string("a", "fr", "de") == "Hallo")
        #expect(string("e", "de-AT") == nil)
    }

    @Test func `a table that is missing, malformed or too large has no keys`() throws {
        try put("a = ", "de")
        try put("a = Large;" + String(repeating: " ", count: StringsTable.byteCountMax), "fr")
        try FileManager.default.createDirectory(
            atPath: folder.path("it.lproj/Localizable.strings"),
            withIntermediateDirectories: true
        )
        try put("a = Hello;", "en")
        #expect(string("a", "de", "fr", "it", "es") == "Hello")
    }

    @Test(arguments: [
        "../secret", "", ".", "..", "a/b", "a\u{0}b", "de.lproj", "dé", String(repeating: "a", count: 65),
    ])
    func `a language that could lead out of the folder is left out`(_ language: String) {
        #expect(LocalizedTables(folder: "/x", languages: [language]).languages == ["Base", "en"])
    }

    @Test func `another table is another file`() throws {
        try put("a = One;", "en")
        try put("a = Two;", "en", table: "Push")
        #expect(LocalizedTables(folder: folder.path(""), languages: ["en"], table: "Push").string("a") == "Two")
    }
}
