import Testing

struct PlaceRuleTests {
    @Test(arguments: [
        ("A", "struct B {}"), ("A", "extension B {}"), ("A+More", "extension B {}"), ("A", "func a() {}\nenum B {}"),
    ])
    func `a file without the type of its name is found`(_ name: String, _ text: String) {
        #expect(PlaceRules.checkNames(file(name, text)).count == 1)
    }

    @Test(arguments: [
        ("A", "struct A {}\nstruct B {}"), ("A+More", "extension A {}"), ("B", "func a() {}"),
        ("B", "typealias A = Int"),
        ("A+More", "@safe extension B.A {}"), ("A", "@safe\npublic final class A: B {}"),
    ])
    func `a file with the type of its name is not found`(_ name: String, _ text: String) {
        #expect(PlaceRules.checkNames(file(name, text)) == [])
    }

    @Test func `folders that use each other are found, with a type for each way`() {
        let findings = PlaceRules.checkFolders(
            [file("Low/Value", "struct Value { let job: Job }"), file("High/Job", "struct Job { let value: Value }")],
            of: "Sources/Keys"
        )
        #expect(findings.map { String($0.problem.prefix { $0 != " " }) } == ["High", "Low"])
    }

    @Test func `a ring of three folders is found`() {
        let files = [
            file("A/One", "struct One { let next: Two }"), file("B/Two", "struct Two { let next: Three }"),
            file("C/Three", "struct Three { let next: One }"),
        ]
        #expect(PlaceRules.checkFolders(files, of: "Sources/Keys").count == 3)
    }

    @Test func `folders that are used one way, nested types and files outside of folders are not found`() {
        let files = [
            file("Low/Value", "struct Value { enum Kind {} }\nextension Value.Kind {} // Job"),
            file("High/Job", "struct Job { let kind: Value.Kind; enum Other { let a: Join.Value } }"),
            file("Join", "struct Join { let value: Value, job: Job }"),
        ]
        #expect(PlaceRules.checkFolders(files, of: "Sources/Keys") == [])
    }

    @Test func `a README that is too long or names other imports than the manifest is found`() {
        let good = TextFile(path: "Sources/Keys/README.md", text: "# Keys\n\nImports: Envelope,\nPlatform.\n")
        #expect(PlaceRules.checkReadme(good, of: "Keys", imports: ["Platform", "Envelope"]) == [])
        #expect(PlaceRules.checkReadme(good, of: "Keys", imports: ["Platform"]).count == 1)
        let long = TextFile(path: good.path, text: good.text + String(repeating: "line\n", count: 22))
        #expect(PlaceRules.checkReadme(long, of: "Keys", imports: ["Platform", "Envelope"]).map(\.line) == [26])
    }

    @Test func `a README that names a file which is not there is found`() {
        let text = "1. `Files/` (`KeyFile.swift`, then `Files/Lock.swift`): keys\n2. `Gone.swift`\n"
        let readme = TextFile(path: "Sources/Keys/README.md", text: text)
        let files = ["Files/KeyFile.swift", "Files/Lock.swift"]
        #expect(PlaceRules.checkNamedFiles(readme, in: files).map(\.line) == [2])
        #expect(PlaceRules.checkNamedFiles(readme, in: ["Files/KeyFile.swift", "Block.swift"]).count == 2)
    }

    private func file(_ name: String, _ text: String) -> TextFile {
        TextFile(path: "Sources/Keys/\(name).swift", text: text)
    }
}
