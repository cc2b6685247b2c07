import Testing

@testable import Envelope

struct MessageDocumentTests {
    private func fault(_ text: String) -> MessageDocumentError? { fault(Array(text.utf8)) }

    private func fault(_ bytes: [UInt8]) -> MessageDocumentError? {
        do {
            _ = try MessageDocument.parse(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test func `reads a message as a person lays it out`() throws {
        let text = """
            {
                "title": "Anna",
                "subtitle": "Dinner",
                "body": "See you at 8 😀\\nBring wine",
                "thread-id": "anna"
            }

            """
        let message = try MessageDocument.parse(Array(text.utf8))
        let expected = Message(title: "Anna", subtitle: "Dinner", body: "See you at 8 😀\nBring wine", threadID: "anna")
        #expect(message.isSpelledLike(expected))
    }

    @Test(arguments: [
        // A missing comma, a superfluous one, a missing quote at either end, a missing colon.
        ("{\n  \"title\": \"Anna\"\n  \"body\": \"b\"\n}", 3, 3, "','"),
        ("{\n  \"title\": \"Anna\",\n}", 3, 1, "name in double quotes after the comma"),
        ("{\n  \"title\": \"Anna,\n  \"body\": \"b\"\n}", 2, 18, "control character"),
        ("{\n  title\": \"Anna\"\n}", 2, 3, "name in double quotes"),
        ("{\n  \"title\" \"Anna\"\n}", 2, 11, "':'"),
        ("{\n  \"title\": Anna\n}", 2, 12, "value"),
        ("{\n  'title': \"Anna\"\n}", 2, 3, "double quotes"),
        ("{\n  \"title\": “Anna”\n}", 2, 12, "value"),
        ("{\n  \"title\": \"Anna\"\n", 3, 1, "ends before"),
        ("{\n  \"title\": \"Anna\"\n}}", 3, 2, "follows"),
        ("{\n  // a comment\n  \"title\": \"Anna\"\n}", 2, 3, "name in double quotes"),
        // Columns count characters of one scalar, not bytes.
        ("{\"title\": \"äöü😀\" \"body\": \"b\"}", 1, 18, "','"),
        ("{\"title\": \"\\x41\"}", 1, 13, "escape"),
        ("{\"title\": \"\\ud83d\"}", 1, 12, "surrogate"),
        ("{\"title\": \"a\\u0000\"}", 1, 13, "NUL"),
        ("{\r\n  \"title\": \"a\",\r\n  \"title\": \"b\"\r\n}", 3, 3, "twice"),
        ("", 1, 1, "ends before"),
        ("\n\n  ", 3, 3, "ends before"),
        ("\u{FEFF}{\"title\":\"a\"}", 1, 1, "byte order mark"),
        ("{\"title\": [[[[[[[[1]]]]]]]]}", 1, 18, "deeper"),
    ])
    func `a typing mistake has its line and column`(_ text: String, _ line: Int, _ column: Int, _ clause: String) throws
    {
        let error = try #require(fault(text))
        #expect((error.line, error.column) == (line, column))
        #expect(error.reason.contains(clause))
    }

    @Test(arguments: ["titel", "Title", "title ", "message", "", "\\u0074itel", "bo\\ndy"])
    func `a name that does not exist is an error at its place, which lists those that do`(_ name: String) throws {
        let error = try #require(fault("{\n  \"body\": \"b\",\n   \"\(name)\": \"x\"\n}"))
        #expect((error.line, error.column) == (3, 4))
        for known in ["title", "subtitle", "body", "thread-id"] { #expect(error.reason.contains("\"\(known)\"")) }
    }

    @Test(arguments: ["title", "subtitle", "body", "thread-id"], ["null", "true", "8", "[]", "{}", #"["x"]"#])
    func `a value of the wrong type is an error at the value, which names the member`(_ name: String, _ value: String) {
        let found = fault("{\n\"\(name)\":  \(value)}")
        #expect(found.map { [$0.line, $0.column] } == [2, name.utf8.count + 6])
        #expect(found?.reason == "\"\(name)\" must be a string")
    }

    @Test(arguments: ["8.5", "1e3", "-0", "99999999999999999999"])
    func `a number that no reader agrees on is an error of its own`(_ number: String) {
        #expect(fault("{\"body\": \(number)}").map { [$0.line, $0.column] } == [1, 10])
    }

    @Test(arguments: ["[]", "\"body\"", "null", "7", "[{\"body\":\"b\"}]"])
    func `a document that is no object is an error at its first character`(_ text: String) {
        let found = fault("\n \(text)")
        #expect(found.map { [$0.line, $0.column] } == [2, 2])
        #expect(found?.reason.contains("object in braces") == true)
    }

    @Test(arguments: ["{}", #"{"title":"","body":""}"#, #"{"subtitle":"s","thread-id":"t"}"#])
    func `a message without text is refused at the object`(_ text: String) {
        let found = fault("\n\n\(text)")
        #expect(found.map { [$0.line, $0.column] } == [3, 1])
        #expect(found?.reason.contains("needs a \"title\" or a \"body\"") == true)
    }

    @Test func `a file of a megabyte is read, and one byte more is refused`() throws {
        let room = MessageDocument.byteCountMax - #"{"body":""}"#.utf8.count
        let text = #"{"body":"\#(String(repeating: "b", count: room))"}"#
        #expect(try MessageDocument.parse(Array(text.utf8)).body.utf8.count == room)
        #expect(fault(text + " ")?.reason == "longer than 1048576 bytes")
        #expect(fault([UInt8](repeating: UInt8(ascii: "["), count: 5_000_000))?.reason == "longer than 1048576 bytes")
    }

    @Test func `a Latin-1 file is refused in the line of the first letter that is not UTF-8`() {
        let bytes = Array("{\n  \"title\": \"M".utf8) + [0xFC] + Array("ller\"\n}".utf8)
        let found = fault(bytes)
        #expect(found?.line == 2)
        #expect(found?.reason == "not valid UTF-8")
    }

    @Test func `a reason never repeats what the file says`() {
        let secret = "Xyzzy"
        let texts = [
            "{\"\(secret)\":1}", "{\"body\":\(secret)}", "{\"body\":\"\(secret)\" \(secret)}", "\(secret)",
            "{\"body\":\"\(secret)\\q\"}", "{\"\(secret)\":1,\"\(secret)\":2}", "{\"body\":[\"\(secret)\"]}",
        ]
        for text in texts { #expect(fault(text).map { $0.reason.contains(secret) } == false) }
    }
}
