import Foundation
import TestSupport
import Testing

@testable import Localization

/// Tables as Apple's tools and translators write them. Apple's own reader is open source and part of the toolchain:
/// where it reads a table, this reads the same.
struct StringsTableTests {
    @Test(arguments: [
        #""a" = "b";"#, "a = b;", "a;", "a.b-c/d:$_9 = x;", "a = 'b\"c';", "a = b; a = c;", #""" = x;"#, "{ a = b; }",
        "/* one */ a = b; // two\n/* three **/ c = d;", "a /* in */ = /* between */ b /* all */ ;", "/ = /;",
        "a = b; /* without an end", "a = b; // without an end", "a = b;}", "a = b; \"cut", "a=b;\u{2028}c=d;\u{B}\u{C}",
        #""a\"b\\" = "\n\t\r\a\b\f\v\q\'";"#, #""\U00e9" = "\UD83D\UDE00 \U41 \UD83D";"#, #"a = "\u00e9";"#,
        "a = \"b\\\nc\";",
        #"a = "\101\60\0601\7777\400";"#, #""Grüße" = "مرحبا 👩‍👩‍👧";"#, "a = \"two\nlines\";", "  \n\t",
    ])
    func `a table reads as Apple's reader reads it`(_ text: String) throws {
        let bytes = Array(text.utf8)
        let expected = try #require(Self.apples(bytes))
        #expect(try Self.texts(bytes) == expected)
        for (mark, isBig) in [([0xFF, 0xFE], false), ([0xFE, 0xFF], true)] as [([UInt8], Bool)] {
            let units = text.utf16.flatMap { unit in
                isBig ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            }
            #expect(try Self.texts(mark + units) == expected)
        }
        #expect(try Self.texts([0xEF, 0xBB, 0xBF] + bytes) == expected)
    }

    @Test func `every octal escape is the character that Apple's reader sees`() throws {
        for byte in 0...255 {
            let octal = String(byte, radix: 8)
            let bytes = Array(("a = \"\\" + String(repeating: "0", count: 3 - octal.count) + octal + "\";").utf8)
            #expect(try Self.texts(bytes) == Self.apples(bytes), "\\\(octal)")
        }
    }

    @Test(arguments: [
        ("\"a", StringsError.unterminated(line: 1)), ("a = \"b", .unterminated(line: 1)),
        ("\n\na = \"b\n\n\\", .unterminated(line: 3)), ("= b;", .notAString(line: 1)), ("a = ;", .notAString(line: 1)),
        ("a\n=\r\n;", .notAString(line: 3)), ("a = { b = c; };", .notAString(line: 1)),
        ("a = (b);", .notAString(line: 1)),
        ("<?xml?>", .notAString(line: 1)), ("a", .noValue(line: 1)), ("a b", .noValue(line: 1)),
        ("\"a\"\r\n", .noValue(line: 2)), ("a = b", .noSemicolon(line: 1)), ("a = b\nc = d;", .noSemicolon(line: 2)),
        ("a = b;\r\rc = d e;", .noSemicolon(line: 3)), ("{ a = b;", .junk(line: 1)), ("{ a = b; } c", .junk(line: 1)),
    ])
    func `what is no table says why and on which line`(_ text: String, _ error: StringsError) {
        #expect(throws: error) { try StringsTable(bytes: Array(text.utf8)) }
        #expect(throws: error) { try StringsTable(bytes: Array(text.utf8), keeping: []) }
    }

    @Test(
        arguments: [
            [0x61, 0xFF], [0xFF, 0xFE, 0x61], [0xFE, 0xFF, 0x00], [0x61, 0x3B, 0xC3],
            Array("a;".utf8) + [0xED, 0xA0, 0x80],
        ] as [[UInt8]]
    )
    func `bytes that are no text are refused`(_ bytes: [UInt8]) {
        #expect(throws: StringsError.encoding) { try StringsTable(bytes: bytes) }
    }

    @Test func `an empty file is a table without entries, and a file without end none`() throws {
        #expect(try Self.texts([]) == [:])
        #expect(try StringsTable(bytes: [UInt8](repeating: 0x20, count: StringsTable.byteCountMax)).count == 0)
        #expect(throws: StringsError.tooLong(byteCountMax: StringsTable.byteCountMax)) {
            try StringsTable(bytes: [UInt8](repeating: 0x20, count: StringsTable.byteCountMax + 1))
        }
    }

    @Test func `only the wanted entries are kept`() throws {
        let table = try StringsTable(bytes: Array("a = 1; b = 2; c = 3;".utf8), keeping: ["b", "x"])
        #expect(Array(table.keys) == ["b"])
        #expect(table["b"] == "2")
        #expect(table["a"] == nil)
    }

    @Test func `random tables read as Apple's reader reads them, or are refused by both`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let pieces = [
            "a", "\"", "'", "\\", "=", ";", " ", "\n", "/*", "*/", "//", "U", "00e9", "1", "{", "}", "é", "=b;",
            "\"k\"=\"v\";",
        ]
        for _ in 0..<3_000 {
            let text = (0..<12).map { _ in random.next() }.map { pieces[Int($0 % UInt64(pieces.count))] }.joined()
            let bytes = Array(text.utf8)
            // Ours is stricter where a value is no string, and has no single string as a table.
            guard let ours = try? Self.texts(bytes) else { continue }
            #expect(ours == Self.apples(bytes), "seed \(seed): \(text.debugDescription)")
        }
    }

    static func texts(_ bytes: [UInt8]) throws -> [String: String] {
        let table = try StringsTable(bytes: bytes)
        return Dictionary(uniqueKeysWithValues: table.keys.map { ($0, table[$0] ?? "") })
    }

    /// - Returns: nil for what Apple's reader refuses, or takes for something else than a table of strings.
    static func apples(_ bytes: [UInt8]) -> [String: String]? {
        // It refuses what this test only asks it about; its reason is not compared.
        let list = try? unsafe PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil)
        return list as? [String: String]
    }
}
