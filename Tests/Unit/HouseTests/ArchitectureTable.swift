/// The table of targets in docs/architecture.md, with each target's permitted imports.
struct ArchitectureTable {
    struct Row: Equatable {
        let target: String
        /// Targets, C modules and Foundation.
        let uses: [String]
        /// True if it says "the rest": every other target, but no C module that it does not name.
        let usesTheRest: Bool
        let line: Int
    }

    /// Modules by the common names of the C libraries, which the document uses.
    static let cModules = [
        "libsodium": "CSodium", "OpenSSL": "COpenSSL", "GMP": "CGMP", "nghttp2": "CNGHTTP2", "SQLite": "CSQLite",
        "CLinux": "CLinux", "libcurl": "CCurl", "CExtendedAttributes": "CExtendedAttributes",
        "COpenSSLMemory": "COpenSSLMemory", "COS": "COS", "libpq": "CPostgreSQL",
    ]

    let path: String
    let rows: [Row]

    init(_ file: TextFile) throws(Finding) {
        path = file.path
        let afterHeader = file.lines.drop { $0.text != "| target | does | uses |" }.dropFirst()
        guard let ruler = afterHeader.first, ruler.text == "|---|---|---|" else {
            throw Finding(path: file.path, line: 1, problem: "no table `| target | does | uses |`; put it back")
        }
        var rows: [Row] = []
        for (number, line) in afterHeader.dropFirst().prefix(while: { $0.text.hasPrefix("|") }) {
            let cells = line.split(separator: "|").map { Self.trimmed($0) }
            guard cells.count == 3, !cells[0].isEmpty, !cells[0].contains(" ") else {
                throw Finding(
                    path: file.path,
                    line: number,
                    problem: "a row has three cells, and a target in the first"
                )
            }
            let uses = Self.uses(cells[2])
            rows.append(
                Row(
                    target: cells[0],
                    uses: uses.filter { $0 != Self.theRest },
                    usesTheRest: uses.contains(Self.theRest),
                    line: number
                )
            )
        }
        self.rows = rows
    }

    func row(_ target: String) -> Row? { rows.first { $0.target == target } }

    /// The Swift targets that `target` may depend on: those of its row, and the targets that they use.
    func allowedTargets(_ target: String) -> Set<String> {
        guard let row = row(target) else { return [] }
        if row.usesTheRest { return Set(rows.map(\.target)).subtracting([target]) }
        return closure(of: row.uses) { self.row($0)?.uses ?? [] }.subtracting(Self.cModules.values)
    }

    /// The C modules that its own row names: any other target reaches them through this one.
    func allowedCModules(_ target: String) -> Set<String> {
        Set(row(target)?.uses ?? []).intersection(Self.cModules.values)
    }

    private static let theRest = "the rest"

    private static func uses(_ cell: String) -> [String] {
        if cell == "–" { return [] }
        return cell.split(separator: ",").map { part in
            let name = trimmed(part.prefix { $0 != "(" })
            return cModules[name] ?? name
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
