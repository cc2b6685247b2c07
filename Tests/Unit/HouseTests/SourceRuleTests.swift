import Testing

struct SourceRuleTests {
    @Test(arguments: [
        "try! open()", "let a = Process()", "x as! Y", "fatalError()", "fatalError(\"no\")",
        "let a = \"\\(try! open())\"",
        "let a = \"\\(b(\"x\") as! Y)\"", "print(x)", "{ print(x) }", "Swift.print(x); print(y)", "debugPrint(x)",
        "dump(x)", "NSLog(x)", "let url = \"https://example.com\"; print(url)", "let a = #\"\\\"#; print(a)",
        "let a = \"\"\"\n    \\\"\"\" \"\n    \"\"\"; print(a)", "/* /* */ */ print(x)",
    ])
    func `code that traps or prints is found`(_ text: String) {
        #expect(check(text).count == 1)
    }

    @Test(arguments: ["zip(a, b).reduce(0) { $0 | $1.0 ^ $1.1 } == 0", "x.reduce(0) { $0 | ($1.0 ^ $1.1) }"])
    func `a comparison of secrets by hand is found`(_ text: String) {
        #expect(check(text).count == 1)
    }

    @Test(arguments: [
        "try? open()", "LineProcess()", "x as? Y", "has!", "canvas! + 1", "myFatalError()", "// print(x)",
        "\"print(x)\"",
        "Output.print(x)", "func print(_ text: String) {}", "blueprint(x)", "let a = \"try! as! fatalError( TODO\"",
        "let a = #\"\\(try! x)\"#", "let todoCount = 1", "// mastodon", "let a = \"\\\" print(x) \"", "/* as! */",
    ])
    func `what only looks like it is not found`(_ text: String) {
        #expect(check(text) == [])
    }

    @Test func `the command line prints`() {
        #expect(check("print(x)", in: "Sources/sealedpush/Main.swift") == [])
        #expect(check("try! print(x)", in: "Sources/sealedpush/Main.swift").count == 1)
    }

    @Test(arguments: ["// TODO", "/// FIXME: later", "/* a\n TODO(b) */", "let a = 1 // TODO: b"])
    func `unfinished work is found`(_ text: String) {
        #expect(check(text).count == 1)
    }

    @Test func `a finding says where, what and what to do instead`() {
        #expect(
            check("\n\n    try! open()").map(\.description) == [
                "Sources/Keys/A.swift:3: 'try!' can trap; throw, or handle the error"
            ]
        )
    }

    @Test(arguments: [
        "struct A: @unchecked Sendable {}", "\n\nstruct A: @unchecked Sendable {}",
        "// Far above.\n\nstruct A: @unchecked Sendable {}", "let a = 1 // beside\nnonisolated(unsafe) let b = a",
        "nonisolated(unsafe) let b = a // beside", "@safe\nstruct A: @unchecked Sendable {}",
    ])
    func `a check that is turned off without a comment directly above is found`(_ text: String) {
        #expect(check(text).count == 1)
    }

    @Test(arguments: [
        "/// The lock makes it right.\nstruct A: @unchecked Sendable {}",
        "    // Written once.\n    nonisolated(unsafe) let b = a",
        "/// The lock.\n@safe\npublic struct A: @unchecked Sendable {}", "// @unchecked Sendable",
    ])
    func `a check that is turned off below its reason is not found`(_ text: String) {
        #expect(check(text) == [])
    }

    @Test func `400 lines are not too long and one more is`() {
        let line = "let a = 1\n"
        #expect(check(String(repeating: line, count: 400)) == [])
        #expect(check(String(repeating: line, count: 399) + "let a = 1") == [])
        #expect(check(String(repeating: line, count: 401)).map(\.line) == [401])
        #expect(check(String(repeating: line, count: 400) + "let a = 1").map(\.line) == [401])
    }

    private func check(_ text: String, in path: String = "Sources/Keys/A.swift") -> [Finding] {
        SourceRules.check(TextFile(path: path, text: text))
    }
}
