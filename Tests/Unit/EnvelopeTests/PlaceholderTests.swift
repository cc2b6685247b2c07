import Testing

@testable import Envelope

struct PlaceholderTests {
    private func text(_ placeholder: Placeholder) -> String { String(decoding: placeholder.alertJSON, as: UTF8.self) }

    @Test func `is the JSON of the protocol page`() throws {
        let words = try Placeholder(title: "Acme Chat", body: "You have a new message")
        #expect(text(words) == #"{"title":"Acme Chat","body":"You have a new message"}"#)
        #expect(words.alertJSON.count == 53)
        let key = try Placeholder(localizationKey: "SP_NEW")
        #expect(text(key) == #"{"loc-key":"SP_NEW"}"#)
        #expect(key.alertJSON.count == 20)
    }

    @Test func `leaves out what is empty`() throws {
        #expect(text(try Placeholder(title: "Acme", body: "")) == #"{"title":"Acme"}"#)
        #expect(text(try Placeholder(title: "", body: "New")) == #"{"body":"New"}"#)
    }

    @Test func `refuses to say nothing`() {
        #expect(throws: PlaceholderError.empty) { try Placeholder(title: "", body: "") }
        #expect(throws: PlaceholderError.empty) { try Placeholder(localizationKey: "") }
    }

    @Test func `refuses NUL, which our own reader of payloads would refuse`() {
        #expect(throws: PlaceholderError.containsNUL) { try Placeholder(title: "a\u{0}", body: "b") }
        #expect(throws: PlaceholderError.containsNUL) { try Placeholder(title: "a", body: "\u{0}") }
        #expect(throws: PlaceholderError.containsNUL) { try Placeholder(localizationKey: "K\u{0}") }
    }

    @Test func `has room for 173 bytes of JSON, not one more`() throws {
        #expect(Placeholder.byteCountMax == 173)
        let longest = String(repeating: "a", count: 173 - #"{"loc-key":""}"#.utf8.count)
        #expect(try Placeholder(localizationKey: longest).alertJSON.count == 173)
        #expect(throws: PlaceholderError.tooLong(byteCount: 174, byteCountMax: 173)) {
            try Placeholder(localizationKey: longest + "a")
        }
        let title = String(repeating: "t", count: 173 - #"{"title":"","body":"b"}"#.utf8.count)
        #expect(try Placeholder(title: title, body: "b").alertJSON.count == 173)
        #expect(throws: PlaceholderError.tooLong(byteCount: 174, byteCountMax: 173)) {
            try Placeholder(title: title, body: "bb")
        }
    }

    @Test(arguments: [("\"", 2), ("\\", 2), ("\n", 2), ("\u{7}", 6), ("é", 2), ("😀", 4), ("a", 1)])
    func `is measured as it is encoded, not as it is typed`(_ character: String, _ encodedByteCount: Int) throws {
        let frame = #"{"loc-key":""}"#.utf8.count
        let count = (173 - frame) / encodedByteCount
        let fitting = try Placeholder(localizationKey: String(repeating: character, count: count))
        #expect(fitting.alertJSON.count == frame + count * encodedByteCount)
        let byteCount = frame + (count + 1) * encodedByteCount
        #expect(throws: PlaceholderError.tooLong(byteCount: byteCount, byteCountMax: 173)) {
            try Placeholder(localizationKey: String(repeating: character, count: count + 1))
        }
    }
}
