/// The table of abuse cases in Tests/Conformance/Vectors/abuse-cases.md, as far as vectors go.
enum AbuseCaseTable {
    static let protocolCases = Array(1...12) + Array(17...50)

    /// - Parameter vectors: names of the vectors, without an ending.
    /// - Returns: cases without a row, rows without a vector or a test, missing vectors.
    static func check(_ file: TextFile, vectors: [String]) -> [Finding] {
        var findings: [Finding] = []
        var cases: Set<Int> = []
        for (number, line) in file.lines {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingWhiteSpace
            }
            guard cells.count == 5, let abuseCase = Int(cells[1].prefix { $0.isNumber }) else { continue }
            cases.insert(abuseCase)
            if cells[2] == "–", cells[3] == "–" {
                findings.append(Finding(path: file.path, line: number, problem: "case \(abuseCase) has no cover"))
            }
            for name in names(in: cells[2]) where !vectors.contains(where: { matches($0, name) }) {
                findings.append(Finding(path: file.path, line: number, problem: "there is no vector '\(name)'"))
            }
        }
        for missing in protocolCases where !cases.contains(missing) {
            findings.append(Finding(path: file.path, line: 1, problem: "case \(missing) has no row"))
        }
        return findings
    }

    private static func names(in cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    private static func matches(_ vector: String, _ name: String) -> Bool {
        name.hasSuffix("*") ? vector.hasPrefix(name.dropLast()) : vector == name
    }
}

extension Substring {
    fileprivate var trimmingWhiteSpace: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
