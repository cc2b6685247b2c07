/// Text for a terminal of 80 columns.
package enum Columns {
    static let width = 80
    /// Longer texts of a left column have their own line.
    private static let leftMax = 26

    enum Block: Equatable {
        /// Lines joined.
        case paragraph(String)
        /// Indented line.
        case verbatim(String)
        case empty
    }

    /// - Parameter lead: begins the first line, in place of the indent.
    package static func wrapped(_ text: String, indent: Int = 0, lead: String? = nil) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = lead ?? margin
        var isFresh = true
        for word in text.split(separator: " ") {
            if !isFresh, line.count + 1 + word.count > width {
                lines.append(line)
                line = margin
                isFresh = true
            }
            line += (isFresh ? "" : " ") + word
            isFresh = false
        }
        return (lines + [line]).joined(separator: "\n")
    }

    /// Wraps paragraphs, and keeps indented lines.
    static func filled(_ text: String) -> String {
        blocks(of: text)
            .map { block in
                switch block {
                case .paragraph(let paragraph): wrapped(paragraph)
                case .verbatim(let line): line
                case .empty: ""
                }
            }
            .joined(separator: "\n")
    }

    static func blocks(of text: String) -> [Block] {
        guard !text.isEmpty else { return [] }
        var blocks: [Block] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                blocks.append(.empty)
            } else if line.hasPrefix(" ") {
                blocks.append(.verbatim(String(line)))
            } else if case .paragraph(let start)? = blocks.last {
                blocks[blocks.count - 1] = .paragraph(start + " " + line)
            } else {
                blocks.append(.paragraph(String(line)))
            }
        }
        return blocks
    }

    static func table(_ rows: [(left: String, right: String)]) -> String {
        let width = min(leftMax, rows.map(\.left.count).max() ?? 0)
        return rows.map { row in
            guard row.left.count <= width else { return "  \(row.left)\n" + wrapped(row.right, indent: width + 4) }
            let gap = String(repeating: " ", count: width - row.left.count + 2)
            return wrapped(row.right, indent: width + 4, lead: "  " + row.left + gap)
        }
        .joined(separator: "\n")
    }
}
