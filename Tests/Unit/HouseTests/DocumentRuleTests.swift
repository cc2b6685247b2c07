import Testing

struct DocumentRuleTests {
    private static let there: Set = ["README.md", "docs/protocol.md", "docs", "keys-example/README.md"]

    @Test(arguments: [
        "[a](protocol.md)", "[a](./protocol.md#bundle)", "[a](../README.md)", "[a](../docs)",
        "[a](../keys-example/README.md \"title\")", "[a](#here)", "[a](https://example.com/x.md)",
        "[a](mailto:a@example.com)", "`[a](gone.md)`", "```\n[a](gone.md)\n```", "a [b] (gone.md)",
        "[a](protocol.md) and [b](../README.md)",
    ])
    func `a link that leads somewhere is not complained of`(_ text: String) {
        #expect(links(text) == [])
    }

    @Test(arguments: [
        "[a](gone.md)", "[a](README.md)", "[a](../protocol.md)", "[a](/README.md)", "[a](../../README.md)",
        "![a](gone.png)", "[a](protocol.md) and [b](gone.md)", "[a](gone.md#here)", "```\n```\n[a](gone.md)",
        "`x` [a](gone.md) `y`",
    ])
    func `a link that leads nowhere is found`(_ text: String) {
        #expect(links(text).count == 1)
    }

    @Test func `a link to what is awaited is not complained of yet`() {
        #expect(links("[a](gone.md)", awaited: ["docs/gone.md"]) == [])
        #expect(
            links("\n[a](gone.md)").map(\.description) == [
                "docs/a.md:2: the link 'gone.md' leads nowhere; correct it or add docs/gone.md"
            ]
        )
    }

    @Test(arguments: [
        "| 1 | `KeyTests` |", "| 1 | `KeyTests` \"a key is a key\" |",
        "| 1 | `KeyTests` \"a key is a key\", `DoorTests` \"a door's lock\" |", "\"no test\" in a sentence",
        "| 1 | `Opening` and `KeyTests` |",
    ])
    func `a test that is there is not complained of`(_ text: String) {
        #expect(cited(text) == [])
    }

    @Test(arguments: [
        "| 1 | `KeysTests` |", "| 1 | `KeyTest` \"a key is a key\" |", "| 1 | `KeyTests` \"a key is a\" |",
        "| 1 | `KeyTests` \"a door's lock\" |", "| 1 | \"a key is a key\" |",
    ])
    func `a test that is not there is found`(_ text: String) {
        #expect(cited(text).count == 1)
    }

    @Test func `a suite that is awaited is not complained of, but a test quoted from it is`() {
        #expect(cited("| 1 | `NewTests` |", awaited: ["NewTests"]) == [])
        #expect(cited("| 1 | `NewTests` \"x\" |", awaited: ["NewTests"]).map(\.line) == [1])
    }

    private func links(_ text: String, awaited: Set<String> = []) -> [Finding] {
        DocumentRules.checkLinks(of: TextFile(path: "docs/a.md", text: text), awaited: awaited) {
            Self.there.contains($0)
        }
    }

    private func cited(_ text: String, awaited: Set<String> = []) -> [Finding] {
        let tests = [
            TextFile(path: "Tests/A.swift", text: "struct KeyTests {\n    @Test func `a key is a key`() {}\n}\n"),
            TextFile(path: "Tests/B.swift", text: "final class DoorTests {\n    @Test func `a door's lock`() {}\n}\n"),
        ]
        return DocumentRules.checkCitedTests(of: TextFile(path: "a.md", text: text), in: tests, awaited: awaited)
    }
}
