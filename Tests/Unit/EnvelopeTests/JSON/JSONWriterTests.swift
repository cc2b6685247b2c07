import Foundation
import TestSupport
import Testing

@testable import Envelope

struct JSONWriterTests {
    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `writes members in the order given, without white space`() {
        let text = written { writer in
            writer.object { writer in
                writer.member("z", "1")
                writer.member("a", -2)
                writer.member("yes", true)
                writer.member("no", false)
                writer.name("list")
                writer.array { writer in
                    writer.integer(UInt64.max)
                    writer.string("s")
                    writer.array { _ in }
                    writer.object { _ in }
                    writer.object { $0.member("k", 0) }
                }
                writer.name("raw")
                writer.raw(Array("null".utf8))
            }
        }
        #expect(
            text
                == #"{"z":"1","a":-2,"yes":true,"no":false,"list":[18446744073709551615,"s",[],{},{"k":0}],"raw":null}"#
        )
    }

    @Test func `escapes what RFC 8259 demands and nothing more`() {
        let all = String(String.UnicodeScalarView((0..<0x80).compactMap(Unicode.Scalar.init(_:)))) + "é\u{2028}😀"
        var expected = "\""
        for value in 0..<0x20 {
            let digits = String(value, radix: 16)
            expected += value == 0x0A ? "\\n" : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        expected +=
            ##" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"##
        expected += "\u{7F}é\u{2028}😀\""
        #expect(written { $0.string(all) }.utf8.elementsEqual(expected.utf8))
    }

    @Test func `a text that is written in place comes out as one that was made before`() {
        for text in ["", "plain", "a\"b", "\\", "\n", "é\u{2028}😀"] {
            let made = written { writer in writer.object { $0.member("name", text) } }
            let inPlace = written { writer in
                writer.object { writer in
                    writer.member("name", writing: { $0 += text.utf8 })
                    writer.member("next", 1)
                }
            }
            #expect(inPlace == made.dropLast() + #","next":1}"#)
        }
        // In a block of many bytes, and in what is left behind it.
        for count in [2, 20] {
            var text = [UInt8](repeating: 0x61, count: count)
            text[1] = 0xFF
            var writer = JSONWriter()
            writer.object { $0.member("name", writing: { $0 += text }) }
            let mended = #"{"name":""# + String(decoding: text, as: UTF8.self) + #""}"#
            #expect(writer.bytes == Array(mended.utf8), "\(count) bytes")
        }
    }

    @Test func `random names and strings come back from the parser byte for byte`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        for _ in 0..<1_000 {
            let name = RandomText.make(count: 0...6, using: &random)
            let text = RandomText.make(count: 0...40, using: &random)
            var writer = JSONWriter()
            writer.object { $0.member(name, text) }
            let value = try JSONParser.parse(writer.bytes, limits: strict)
            let member = try #require(value.members?.first)
            #expect(member.name.utf8.elementsEqual(name.utf8), "seed \(seed)")
            #expect(member.value.string.map { $0.utf8.elementsEqual(text.utf8) } == true, "seed \(seed)")
        }
    }

    /// Without U+FEFF: Foundation on Linux drops it in front of a text and behind an escape.
    @Test func `random strings come back from Foundation too`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        for _ in 0..<1_000 {
            let text = RandomText.make(count: 0...40, using: &random).filter { !$0.unicodeScalars.contains("\u{FEFF}") }
            var writer = JSONWriter()
            writer.object { $0.member("text", text) }
            let object = try JSONSerialization.jsonObject(with: Data(writer.bytes))
            let theirs = try #require((object as? [String: String])?["text"])
            #expect(theirs.utf8.elementsEqual(text.utf8), "seed \(seed)")
        }
    }

    @Test(arguments: [Int64.min, -1, 0, 1, Int64.max])
    func `an integer comes back`(_ number: Int64) {
        #expect(accepted(written { $0.integer(number) }) == .integer(number))
    }
}
