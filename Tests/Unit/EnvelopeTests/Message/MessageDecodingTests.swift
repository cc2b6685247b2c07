import Testing

@testable import Envelope

struct MessageDecodingTests {
    private func refusedBody(_ text: String) -> MessageError? {
        do {
            _ = try Message(sealedBody: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func `reads every member, in any order and spelling`() throws {
        let text = #" {"thread-id":"i", "b\u006fdy":"b", "\u0074itle":"\ud83d\ude00", "subtitle":"s"} "#
        let message = try Message(sealedBody: Array(text.utf8))
        #expect(message.isSpelledLike(Message(title: "😀", subtitle: "s", body: "b", threadID: "i")))
    }

    @Test(arguments: [
        #"{"body":"b","sounds":"x"}"#, #"{"body":"b","title-":1}"#, #"{"body":"b","x":{"y":[1,null,true]}}"#,
        #"{"body":"b","Title":null}"#, #"{"":"","body":"b"}"#, #"{"body":"b","bodY":"c"}"#,
    ])
    func `ignores members that it does not know, whatever they hold`(_ text: String) throws {
        #expect(try Message(sealedBody: Array(text.utf8)).isSpelledLike(Message(body: "b")))
    }

    @Test(
        arguments: ["title", "subtitle", "body", "thread-id"],
        ["null", "true", "1", "[]", "{}", #"["b"]"#, #"{"a":"b"}"#]
    )
    func `refuses a text member that is no string`(_ name: String, _ value: String) {
        let other = name == "title" ? "body" : "title"
        #expect(refusedBody(#"{"\#(name)":\#(value),"\#(other)":"x"}"#) == .malformed)
    }

    @Test(arguments: [
        "", " ", "null", "true", "1", "\"title\"", "[]", #"[{"body":"b"}]"#, #"{"body":"b""#, #"{"body":"b"}{}"#,
        #"{"body":"b",}"#, #"{"body":"b","body":"c"}"#, #"{"body":"b","b\u006fdy":"c"}"#, "\u{FEFF}{\"body\":\"b\"}",
        #"{"body":"b","x":1.5}"#, #"{"body":"b","x":1e2}"#, #"{"body":"b","x":9223372036854775808}"#,
        #"{"body":"b","x":-0}"#, #"{"body":"\ud800"}"#, #"{"body":"b\u0000"}"#, "{\"body\":\"b\u{0}\"}", "{'body':'b'}",
        "{\"body\":\"b\"}\u{0}", "{\"body\":\"a\nb\"}",
    ])
    func `refuses a body that is not one strict JSON object`(_ text: String) {
        #expect(refusedBody(text) == .malformed)
    }

    @Test func `refuses bytes that are not UTF-8`() {
        #expect(throws: MessageError.malformed) {
            try Message(sealedBody: Array(#"{"body":""#.utf8) + [0xC0, 0xAF] + Array(#""}"#.utf8))
        }
    }

    @Test(arguments: [(6, true), (7, true), (8, false), (9, false), (600, false), (100_000, false)])
    func `accepts eight levels, the object itself included`(_ arrayDepth: Int, _ isAccepted: Bool) {
        let nested = String(repeating: "[", count: arrayDepth) + String(repeating: "]", count: arrayDepth)
        #expect((refusedBody(#"{"body":"b","x":\#(nested)}"#) == nil) == isAccepted)
    }

    @Test(arguments: [
        "{}", #"{"title":"","body":""}"#, #"{"subtitle":"s","thread-id":"t"}"#, #"{"crit":[]}"#, #"{"Body":"b"}"#,
    ])
    func `refuses a message without text`(_ text: String) {
        #expect(refusedBody(text) == .malformed)
    }

    @Test(arguments: [
        "[]", #"["title"]"#, #"["title","subtitle","body","thread-id"]"#, #"["body","body"]"#, #"["b\u006fdy"]"#,
        #"["op"]"#, #"["crit"]"#, #"["user-info","relevance-score","sound"]"#, #"["receipt"]"#,
        #"["attachments"]"#,
    ])
    func `goes on where all that is critical is known`(_ names: String) {
        #expect(refusedBody(#"{"body":"b","crit":\#(names)}"#) == nil)
    }

    @Test(arguments: [
        #"["poll"]"#, #"["title","poll"]"#, #"[""]"#, #"["Body"]"#, #"["body "]"#, #"["attachment"]"#,
    ])
    func `is unsupported where something unknown is critical, present or not`(_ names: String) {
        #expect(refusedBody(#"{"body":"b","crit":\#(names)}"#) == .unsupported)
        #expect(refusedBody(#"{"body":"b","poll":"x","crit":\#(names)}"#) == .unsupported)
        // Even without any other part to show.
        #expect(refusedBody(#"{"crit":\#(names)}"#) == .unsupported)
    }

    @Test(arguments: ["null", "true", "1", "\"body\"", "{}", "[1]", "[null]", #"["body",["title"]]"#, #"["body",{}]"#])
    func `refuses a list of critical names that is none`(_ value: String) {
        #expect(refusedBody(#"{"body":"b","crit":\#(value)}"#) == .malformed)
    }

    @Test(arguments: ["Show", "delete", "poll", "replace "], ["", #","target":1,"badge":"x","title":[]"#])
    func `is unsupported with an operation of the future, whatever else is in the body`(_ name: String, _ rest: String)
    {
        #expect(refusedBody(#"{"body":"b","op":"\#(name)"\#(rest)}"#) == .unsupported)
    }

    @Test(arguments: ["null", "true", "0", "[]", "{}", #"["remove"]"#])
    func `refuses an operation that is no string`(_ value: String) {
        #expect(refusedBody(#"{"body":"b","op":\#(value)}"#) == .malformed)
    }

    @Test(arguments: [#""AAECAwQFBgcICQoLDA0ODw""#, "null", "1"])
    func `refuses a target without an operation that has one`(_ value: String) {
        #expect(refusedBody(#"{"body":"b","target":\#(value)}"#) == .malformed)
    }
}
