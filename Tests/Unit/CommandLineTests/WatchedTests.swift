import Testing

/// `scripts/watched`, with a runner that writes the records of Swift Testing's event stream as it does.
struct WatchedTests {
    private static let issue = #"""
        {"kind":"event","payload":{"issue":{"isKnown":false,"sourceLocation":{"fileID":"ATests\/A.swift","line":12}},\#
        "kind":"issueRecorded","messages":[{"symbol":"fail","text":"Expectation failed: \"a\" == {b}"},\#
        {"symbol":"details","text":"b → c"}],"testID":"ATests.A\/`one`()\/A.swift:10:6"},"version":0}
        """#
    private static let end = #"{"kind":"event","payload":{"kind":"runEnded","messages":[]},"version":0}"#

    /// The runner gets the file's name as its fourth argument.
    private static func run(_ records: [String], exit code: Int32) async throws -> Run {
        let folder = try Folder()
        let runner = #"printf '%s\n' "$RECORDS" >"$4"; exit "# + "\(code)"
        var invocation = Invocation([Program.checkout + "/scripts/watched", "/bin/sh", "-c", runner, "sh"], in: folder)
        invocation.program = "/bin/sh"
        invocation.environment = ["RECORDS": records.joined(separator: "\n")]
        return try await invocation.run()
    }

    @Test func `what failed is said at the end on stderr, with its test, its line and what was expected`() async throws
    {
        let run = try await Self.run([Self.issue, Self.end], exit: 1)
        #expect(run.end == .exit(1))
        #expect(
            run.error == """
                watched: failed:
                    ATests.A/`one`()/A.swift:10:6
                        line 12: Expectation failed: "a" == {b}; b → c

                """
        )
    }

    @Test func `a run that ends well says nothing`() async throws {
        let run = try await Self.run([Self.end], exit: 0)
        #expect(run.isDone)
    }

    @Test func `a run that ends in the middle says what was under way`() async throws {
        let start =
            #"{"kind":"event","payload":{"kind":"testStarted","messages":[],"testID":"ATests.A\/one()"},"version":0}"#
        let run = try await Self.run([start], exit: 139)
        #expect(run.end == .exit(139))
        #expect(run.error == "watched: ended with 139 in the middle. These were under way:\n    ATests.A\\/one()\n")
    }
}
