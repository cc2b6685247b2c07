import Testing

extension CommandLineTests {
    struct BadMessageTests {
        @Test(arguments: [
            ("", 1, 1, "ends before"),
            (#"{"title":"Ada","body":"x""#, 1, 26, "ends before"),
            ("{\n  \"title\": \"Ada\",\n  \"body\": \"x\"\n  \"thread-id\": \"t\"\n}\n", 4, 3, "expected ','"),
            ("{\n  \"body\": \"x\",\n}", 3, 1, "after the comma"),
            ("{\"title\":\"\u{E9}\u{1F558}\",\"body\":x}", 1, 22, "expected a value"),
            (#"{"body":"x","body":"y"}"#, 1, 13, "twice"),
            (#"{"body":"x","bodi":"y"}"#, 1, 13, "no such member"),
            (#"{"body":7}"#, 1, 9, "must be a string"),
            (#"{"subtitle":"x"}"#, 1, 1, #"needs a "title" or a "body""#),
            (#"["x"]"#, 1, 1, "object in braces"),
            ("{\"body\":\"a\u{1B}b\"}", 1, 11, "control character"),
            (#"{"body":"\u0000"}"#, 1, 10, "NUL"),
            (#"{"body":"x"} {}"#, 1, 14, "follows the end"),
            ("\u{FEFF}{\"body\":\"x\"}", 1, 1, "byte order mark"),
        ])
        func `a typo is named with its line and column`(
            _ text: String,
            _ line: Int,
            _ column: Int,
            _ words: String
        ) async throws {
            let place = try await Workplace()
            try place.folder.write("m.json", text)
            let run = try await place.seal("m.json", "--out", "push.json")
            #expect(run.isRefused("sealedpush: m.json:\(line):\(column): ", words), "\(run)")
            #expect(try place.folder.names == ["device.bundle", "m.json"])
        }

        @Test func `bytes that are not UTF-8 are refused`() async throws {
            let place = try await Workplace()
            try place.folder.write("m.json", bytes: Array(#"{"body":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8))
            let run = try await place.seal("m.json")
            #expect(run.isRefused("m.json:1:10: ", "UTF-8"), "\(run)")
        }

        @Test func `a missing message file is named`() async throws {
            let run = try await (try await Workplace()).seal("nowhere/m.json")
            #expect(run.isRefused("nowhere/m.json: no such file"), "\(run)")
        }

        @Test func `a folder is not a message file`() async throws {
            let place = try await Workplace()
            let run = try await place.seal(place.folder.path)
            #expect(run.isRefused("is a folder; give the path of a file"), "\(run)")
        }

        @Test func `a message file without an end is refused`() async throws {
            let run = try await (try await Workplace()).seal("/dev/zero")
            #expect(run.isRefused("larger than 1048576 bytes"), "\(run)")
        }

        @Test func `a file name with an escape sequence is shown, not obeyed`() async throws {
            let run = try await (try await Workplace()).seal("\u{1B}[2Jm.json")
            #expect(run.isRefused("\\u{1B}[2Jm.json: no such file") && !run.error.contains("\u{1B}"), "\(run)")
        }
    }
}
