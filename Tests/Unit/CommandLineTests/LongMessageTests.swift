import Testing

extension CommandLineTests {
    /// A body of 5 KB, too long for any push.
    struct LongMessageTests {
        /// 25 bytes, one grapheme cluster: half of it would be another family.
        private static let family = "👨‍👩‍👧‍👦"

        @Test func `a body that is too long is shortened on a grapheme boundary, and both sides say so`() async throws {
            let place = try await Workplace()
            let body = "x" + String(repeating: Self.family, count: 200)
            #expect(body.utf8.count > 5_000)
            try place.folder.write("m.json", #"{"body":"\#(body)"}"#)
            let sealed = try await place.seal("m.json", "--out", "push.json")
            #expect(sealed.end == .exit(0) && sealed.output.isEmpty && sealed.error.contains("shortened"), "\(sealed)")

            let opened = try await place.open("push.json", "--json")
            let object = try JSONLine(opened.output)
            let shown = try object.text("body")
            #expect(body.hasPrefix(shown) && shown.count > 100, "\(shown)")
            #expect(shown.dropFirst().allSatisfy { String($0) == Self.family })
            #expect(try object.bool("truncated"))
            let forPeople = try await place.open("push.json")
            #expect(forPeople.end == .exit(0) && forPeople.error.contains("shorten"), "\(forPeople)")
        }

        @Test func `a shortened message is marked in the JSON of seal`() async throws {
            let place = try await Workplace()
            try place.folder.write("m.json", #"{"body":"\#(String(repeating: "y", count: 5_000))"}"#)
            let sealed = try await place.seal("m.json", "--out", "push.json", "--json")
            #expect(sealed.isDone, "\(sealed)")
            #expect(try JSONLine(sealed.output).bool("truncated"))
        }

        @Test func `refusing names the excess in bytes, and that is exactly what must go`() async throws {
            let place = try await Workplace()
            let body = String(repeating: "y", count: 5_000)
            try place.folder.write("m.json", #"{"body":"\#(body)"}"#)
            let refused = try await place.seal("m.json", "--too-long", "refuse", "--out", "push.json")
            // The frame has room for 2,690 bytes, 11 of which are the braces, the name and the quotes.
            let excess = 5_000 - (2_690 - 11)
            #expect(refused.isRefused("\(excess) bytes too long"), "\(refused)")
            #expect(try place.folder.names == ["device.bundle", "m.json"])

            try place.folder.write("m.json", #"{"body":"\#(body.dropLast(excess))"}"#)
            #expect(try await place.seal("m.json", "--too-long", "refuse", "--out", "push.json").isDone)
        }

        @Test func `a title that leaves no room for anything is refused`() async throws {
            let place = try await Workplace()
            try place.folder.write("m.json", #"{"title":"\#(String(repeating: "t", count: 3_000))","body":"b"}"#)
            let run = try await place.seal("m.json")
            #expect(run.isRefused("bytes too long"), "\(run)")
        }
    }
}
