import ChildProcesses
import CommandLineTool
import Envelope

/// Two columns: the simulator's bytes, and the content handler's result.
struct DemoScreen {
    private static let leftWidth = 44
    private static let rightWidth = 33
    private static let sealedLineCount = 4

    private let left: [String]
    private let right: [String]

    init(seen: JSONValue, shown: JSONValue) throws(CommandError) {
        left = try Self.whatAppleSaw(seen)
        right = try Self.whatThePersonSees(shown)
    }

    var text: String {
        let heading = Self.row("WHAT APPLE SAW", "WHAT THE PERSON SEES")
        let rule =
            String(repeating: "─", count: Self.leftWidth) + "─┼─" + String(repeating: "─", count: Self.rightWidth)
        let rows = (0..<max(left.count, right.count)).map { index in
            Self.row(index < left.count ? left[index] : "", index < right.count ? right[index] : "")
        }
        return ([heading, rule] + rows).joined(separator: "\n")
    }

    private static func row(_ left: String, _ right: String) -> String {
        let row = left + String(repeating: " ", count: max(0, leftWidth - left.count)) + " │ " + right
        return String(row.reversed().drop { $0 == " " }.reversed())
    }

    private static func whatAppleSaw(_ event: JSONValue) throws(CommandError) -> [String] {
        var lines: [String] = []
        for header in event["headers"]?.elements ?? [] {
            let words = (header.elements ?? []).compactMap(\.string)
            lines += wrap(TerminalText.safe(words.joined(separator: ": ")), width: leftWidth)
        }
        guard let payload = Base64URL.decode(Array(try event.text("payload").utf8)) else {
            throw .failed("the simulator reported no payload")
        }
        lines.append("")
        return lines + elided(wrap(TerminalText.safe(String(decoding: payload, as: UTF8.self)), width: leftWidth))
    }

    private static func elided(_ lines: [String]) -> [String] {
        let head = 3 + sealedLineCount
        guard lines.count > head + 3 else { return lines }
        let hidden = lines[head..<(lines.count - 2)]
        let count = hidden.reduce(0) { $0 + $1.count }
        return lines[..<head] + ["… \(count) more characters like these …"] + lines.suffix(2)
    }

    private static func whatThePersonSees(_ event: JSONValue) throws(CommandError) -> [String] {
        var lines: [String] = []
        for name in ["title", "subtitle", "body"] {
            let text = TerminalText.safe(try event.text(name))
            if !text.isEmpty { lines += wrapWords(text, width: rightWidth) }
        }
        for type in event["attachments"]?.elements ?? [] {
            lines.append("[a picture: \(TerminalText.safe(type.string ?? ""))]")
        }
        return lines
    }

    private static func wrap(_ text: String, width: Int) -> [String] {
        var rest = text[...]
        var lines: [String] = []
        while !rest.isEmpty {
            lines.append(String(rest.prefix(width)))
            rest = rest.dropFirst(width)
        }
        return lines
    }

    private static func wrapWords(_ text: String, width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
