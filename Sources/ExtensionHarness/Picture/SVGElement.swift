/// SVG element as a value. Names are our literals; values are escaped on writing, so that no outside text becomes
/// markup.
struct SVGElement {
    private enum Content {
        case elements([SVGElement])
        case text(String)
    }

    private let name: StaticString
    private let attributes: KeyValuePairs<StaticString, String>
    private let content: Content

    init(
        _ name: StaticString,
        _ attributes: KeyValuePairs<StaticString, String> = [:],
        _ children: [SVGElement] = []
    ) {
        self.name = name
        self.attributes = attributes
        content = .elements(children)
    }

    init(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:], text: String) {
        self.name = name
        self.attributes = attributes
        content = .text(text)
    }

    /// Element's markup: one element per line, two spaces per level.
    func markup(depth: Int = 0) -> String {
        let indent = String(repeating: "  ", count: depth)
        let start = indent + "<\(name)" + attributes.map { " \($0.key)=\"\(Self.escaped($0.value))\"" }.joined()
        switch content {
        case .text(let text):
            return start + ">\(Self.escaped(text))</\(name)>\n"
        case .elements(let children) where children.isEmpty:
            return start + "/>\n"
        case .elements(let children):
            return start + ">\n" + children.map { $0.markup(depth: depth + 1) }.joined() + indent + "</\(name)>\n"
        }
    }

    /// Escapes text for content and double-quoted attributes. What XML cannot hold becomes U+FFFD.
    ///
    /// - Source: https://www.w3.org/TR/xml/#charsets
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\u{20}"..."\u{7E}", "\u{A0}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
                escaped.unicodeScalars.append(scalar)
            default: escaped.unicodeScalars.append("\u{FFFD}")
            }
        }
        return escaped
    }
}
