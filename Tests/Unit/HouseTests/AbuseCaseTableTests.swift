import Testing

struct AbuseCaseTableTests {
    private static let whole = AbuseCaseTable.protocolCases.map { "| \($0) what it is | `flip-*` | – |" }

    private func problems(_ rows: [String]) -> [String] {
        let file = TextFile(path: "docs/a.md", text: rows.joined(separator: "\n"))
        return AbuseCaseTable.check(file, vectors: ["flip-tag", "floor"]).map(\.problem)
    }

    @Test func `a table with every case is not complained of`() {
        #expect(problems(Self.whole) == [])
    }

    @Test func `a case without a row is found`() {
        #expect(problems(Array(Self.whole.dropLast())) == ["case 50 has no row"])
    }

    @Test func `a row without a vector or a test is found`() {
        #expect(problems(Self.whole.dropLast() + ["| 50 what it is | – | – |"]) == ["case 50 has no cover"])
    }

    @Test(arguments: ["flip-tags", "flop-*", "flip", "floor-"])
    func `a vector that is not there is found`(_ name: String) {
        #expect(problems(Self.whole + ["| 108 more | `floor`, `\(name)` | – |"]) == ["there is no vector '\(name)'"])
    }
}
