import Testing

@testable import Envelope

struct JSONParserTests {
    @Test func `reads every kind of value with the place where it began`() throws {
        let text = #" {"a":[null,true,false,-7],"b":"x"} "#
        let value = try JSONParser.parse(Array(text.utf8), limits: strict)
        #expect(value.offset == 1)
        let members = try #require(value.members)
        #expect(members.map(\.name) == ["a", "b"])
        #expect(members.map(\.offset) == [2, 27])
        #expect(members.map(\.value.offset) == [6, 31])
        let elements = try #require(value["a"]?.elements)
        #expect(elements.map(\.content) == [.null, .bool(true), .bool(false), .integer(-7)])
        #expect(elements.map(\.offset) == [7, 12, 17, 23])
        #expect(value["b"]?.string == "x")
        #expect(value["c"] == nil)
    }

    @Test(arguments: validDocuments)
    func `accepts a valid document`(_ text: String) {
        #expect(refused(text) == nil)
    }

    @Test(arguments: [
        ("\"\"", JSONValue.Content.string("")), ("0", .integer(0)), ("true", .bool(true)), ("null", .null),
        ("[]", .array([])), ("{}", .object([])), ("\t\r\n {} \t\r\n", .object([])),
    ])
    func `accepts any value at the top, between white space`(_ text: String, _ content: JSONValue.Content) {
        #expect(accepted(text) == content)
    }

    @Test(arguments: [
        ("", JSONError.Reason.unexpectedEnd, 0),
        (" \n\t", .unexpectedEnd, 3),
        // Trailing commas, missing commas, doubled commas.
        (#"{"a":1,}"#, .expectedName, 7),
        (#"[1,]"#, .expectedValue, 3),
        (#"[,1]"#, .expectedValue, 1),
        (#"[1,,2]"#, .expectedValue, 3),
        (#"{,"a":1}"#, .expectedNameOrEnd, 1),
        (#"{"a":1,,"b":2}"#, .expectedName, 7),
        (#"[1 2]"#, .expectedCommaOrEnd, 3),
        (#"{"a":1 "b":2}"#, .expectedCommaOrEnd, 7),
        (#"{"a":1;"b":2}"#, .expectedCommaOrEnd, 6),
        // Colons.
        (#"{"a" 1}"#, .expectedColon, 5),
        (#"{"a"=1}"#, .expectedColon, 4),
        (#"{"a"}"#, .expectedColon, 4),
        (#"{"a":}"#, .expectedValue, 5),
        (#"{"a"::1}"#, .expectedValue, 5),
        // Mismatched brackets.
        (#"[1}"#, .expectedCommaOrEnd, 2),
        (#"{"a":1]"#, .expectedCommaOrEnd, 6),
        (#"{]"#, .expectedNameOrEnd, 1),
        (#"[}"#, .expectedValue, 1),
        (#"}"#, .expectedValue, 0),
        (#"]"#, .expectedValue, 0),
        (#"{"#, .unexpectedEnd, 1),
        (#"["#, .unexpectedEnd, 1),
        // Names must be strings in double quotes.
        (#"{a:1}"#, .expectedNameOrEnd, 1),
        (#"{'a':1}"#, .expectedNameOrEnd, 1),
        (#"{1:1}"#, .expectedNameOrEnd, 1),
        (#"{null:1}"#, .expectedNameOrEnd, 1),
        (#"{"a":1,b:2}"#, .expectedName, 7),
        // Single quotes, comments, literals of other languages.
        (#"{"a":'b'}"#, .expectedValue, 5),
        (#"// a comment"#, .expectedValue, 0),
        (#"/* one */ {}"#, .expectedValue, 0),
        (#"{/* one */}"#, .expectedNameOrEnd, 1),
        (#"[1 // one"#, .expectedCommaOrEnd, 3),
        (#"# one"#, .expectedValue, 0),
        ("True", .expectedValue, 0),
        ("TRUE", .expectedValue, 0),
        ("trUe", .expectedValue, 2),
        ("nil", .expectedValue, 1),
        ("undefined", .expectedValue, 0),
        ("fals", .unexpectedEnd, 4),
        // White space that JSON does not have.
        ("\u{0B}1", .expectedValue, 0),
        ("\u{0C}1", .expectedValue, 0),
        ("\u{A0}1", .expectedValue, 0),
        ("\u{2028}1", .expectedValue, 0),
        ("\u{0}", .expectedValue, 0),
    ])
    func `refuses what is not JSON, at the byte of the fault`(_ text: String, _ reason: JSONError.Reason, _ offset: Int)
    {
        #expect(refused(text) == JSONError(reason: reason, offset: offset))
    }

    @Test(arguments: [
        ("{}{}", 2), ("{} {}", 3), ("{}]", 2), ("1 1", 2), ("nulls", 4), ("{},", 2), ("\"a\"b", 3), ("{}\u{0}", 2),
        ("{} // end", 3), ("[] x", 3), ("{}\n\n\u{FEFF}", 4),
    ])
    func `refuses what follows the value`(_ text: String, _ offset: Int) {
        #expect(refused(text) == JSONError(reason: .trailingBytes, offset: offset))
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, 7),
        (#"{"a":1,"b":2,"a":1}"#, 13),
        (#"{"a":1,"\u0061":2}"#, 7),
        (#"{"\u0061":1,"a":2}"#, 12),
        (#"{"/":1,"\/":2}"#, 7),
        (#"{"":1,"":2}"#, 6),
        (#"{"😀":1,"\ud83d\ude00":2}"#, 10),
        (#"[{"x":{"a":1,"\u0061":null}}]"#, 13),
    ])
    func `refuses a second member of the same name, however it is spelled`(_ text: String, _ offset: Int) {
        #expect(refused(text) == JSONError(reason: .duplicateName, offset: offset))
    }

    @Test func `names are compared by bytes: case and Unicode equivalence make other names`() throws {
        let text = "{\"a\":1,\"A\":2,\"\u{E9}\":3,\"e\u{301}\":4}"
        let value = try JSONParser.parse(Array(text.utf8), limits: strict)
        #expect(value["\u{E9}"]?.content == .integer(3))
        #expect(value["e\u{301}"]?.content == .integer(4))
    }

    @Test func `the same name is free in another object`() {
        #expect(refused(#"[{"a":{"a":{}}},{"a":1}]"#) == nil)
    }
}
