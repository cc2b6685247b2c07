import Foundation
import TestSupport
import Testing

@testable import Localization

/// Tables as Xcode puts them into an app for a device.
struct BinaryStringsTests {
    @Test func `a binary table has the texts that were put into it`() throws {
        var texts = [
            "": "empty", "long": String(repeating: "é", count: 70_000), "ascii": String(repeating: "x", count: 300),
        ]
        for number in 0..<400 { texts["key \(number)"] = "Text \(number) 👩‍👩‍👧 ü" }
        #expect(try StringsTableTests.texts(binary(texts)) == texts)
        #expect(try StringsTable(bytes: binary(texts), keeping: ["key 7"])["key 7"] == texts["key 7"])
    }

    @Test func `values of other kinds are passed over`() throws {
        let list: [String: Any] = ["a": "b", "n": 7, "d": ["one": "%d file"], "x": ["y"], "f": true]
        #expect(try StringsTableTests.texts(binary(list)) == ["a": "b"])
        #expect(try StringsTableTests.texts(binary([String: String]())) == [:])
    }

    @Test func `a binary list that is no dictionary is refused`() throws {
        for list in [["a", "b"], "a", 7] as [Any] {
            #expect(throws: StringsError.notADictionary) { try StringsTable(bytes: binary(list)) }
        }
    }

    @Test func `a binary table that is cut anywhere is refused`() throws {
        let bytes = try binary(["a": "b", "Grüße": "ä"])
        for count in 8..<bytes.count {
            #expect(throws: StringsError.notADictionary) { try StringsTable(bytes: Array(bytes[..<count])) }
        }
    }

    @Test func `with any byte changed to anything it reads or is refused, and nothing else happens`() throws {
        let bytes = try binary(["a": "b", "Grüße": "ä", "long": String(repeating: "x", count: 20)])
        for index in 8..<bytes.count {
            for value in 0...UInt8.max {
                var changed = bytes
                changed[index] = value
                do {
                    _ = try StringsTable(bytes: changed)
                } catch {
                    #expect(error == .notADictionary)
                }
            }
        }
    }

    @Test func `a table whose entries share one long string has an end`() {
        // Each of 5,000 entries is the one string, of 100,000 bytes, as key and as value.
        let entryCount = 5_000
        let string = [0x5F, 0x12] + [0, 1, 0x86, 0xA0] + [UInt8](repeating: 0x61, count: 100_000)
        let dictionary =
            [0xDF, 0x11, UInt8(entryCount >> 8), UInt8(entryCount & 0xFF)]
            + [UInt8](repeating: 0, count: 2 * entryCount)
        let offsets = [8, 8 + string.count].flatMap { offset in (0..<4).map { UInt8(offset >> (24 - 8 * $0) & 0xFF) } }
        let table = 8 + string.count + dictionary.count
        var trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 4, 1]
        for number in [2, 1, table] { trailer += (0..<8).map { UInt8(number >> (56 - 8 * $0) & 0xFF) } }
        #expect(throws: StringsError.tooLong(byteCountMax: 4 * StringsTable.byteCountMax)) {
            try StringsTable(bytes: Array("bplist00".utf8) + string + dictionary + offsets + trailer)
        }
    }

    private func binary(_ list: Any) throws -> [UInt8] {
        Array(try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0))
    }
}
