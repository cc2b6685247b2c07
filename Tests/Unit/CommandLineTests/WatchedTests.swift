import Testing

/// `scripts/watched`, with a runner that writes the records of Swift Testing's event stream as it does.
struct WatchedTests {
    private static let issue = #"""
        {"kind":"event","payload":{"issue":{"isKnown":false,"sourceLocation":{"fileID":"ATests\/A.swift","line":12}},\#
        "kind":"issueRecorded","messages":[{"symbol":"fail","text":"Expectation failed: \"a\" == {b}"},\#
        {"symbol":"details","text":"b → c"}],"testID":"ATests.A\/`one`()\/A.swift:10:6"},"version":0}
        """#
    private static let end = #"{"kind":"event","payload":{"kind":"runEnded","messages":[]},"version":0}"#

    /// Swift Testing's lines of a green run.
    private static let result = ["◇ Test run started.", "↳ Target Platform: x", "✔ Test run with 1 test passed."]

    /// The runner gets the file's name as its fourth argument.
    private static func run(
        _ records: [String],
        options: [String] = [],
        lines: [String] = [],
        exit code: Int32
    ) async throws -> Run {
        let folder = try Folder()
        let runner = #"printf '%s\n' "$RECORDS" >"$4"; printf '%s' "$SAID" >&2; exit "# + "\(code)"
        let words = [Program.checkout + "/scripts/watched"] + options + ["/bin/sh", "-c", runner, "sh"]
        var invocation = Invocation(words, in: folder)
        invocation.program = "/bin/sh"
        invocation.environment = [
            "RECORDS": records.joined(separator: "\n"), "SAID": lines.map { $0 + "\n" }.joined(),
        ]
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

    @Test func `with --quietly, a green run's own lines are shown, and it stays green`() async throws {
        let run = try await Self.run([Self.end], options: ["--quietly"], lines: Self.result, exit: 0)
        #expect(run.isDone && run.output == Self.result.map { $0 + "\n" }.joined(), "\(run)")
    }

    @Test(arguments: [
        "*** Program crashed: Illegal instruction at 0x00007fd8484f9361 ***", "0    libswiftCore.so    0x0000 x + 33",
        "prlimit: failed to set the CORE resource limit", "warning: No matching test cases were run",
    ])
    func `with --quietly, a green run that says more is red and shows what`(_ line: String) async throws {
        let lines = [Self.result[0], line, Self.result[2]]
        let run = try await Self.run([Self.end], options: ["--quietly"], lines: lines, exit: 0)
        #expect(run.end == .exit(1) && run.output == lines.map { $0 + "\n" }.joined(), "\(run)")
        #expect(run.error == "watched: every test passed, and this was said beside the result:\n    \(line)\n")
    }

    @Test func `with --quietly, a red run may say what it likes`() async throws {
        let run = try await Self.run([Self.issue, Self.end], options: ["--quietly"], lines: ["a trace"], exit: 3)
        #expect(run.end == .exit(3) && run.output == "a trace\n" && run.error.hasPrefix("watched: failed:\n"), "\(run)")
    }

    @Test func `a run that ends in the middle says what was under way`() async throws {
        let start =
            #"{"kind":"event","payload":{"kind":"testStarted","messages":[],"testID":"ATests.A\/one()"},"version":0}"#
        let run = try await Self.run([start], exit: 139)
        #expect(run.end == .exit(139))
        #expect(run.error == "watched: ended with 139 in the middle. These were under way:\n    ATests.A\\/one()\n")
    }
}
