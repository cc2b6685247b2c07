extension JSONWriter {
    /// One member or element a line, two spaces a level; order and numbers unchanged.
    package static func indentedText(of value: JSONValue) -> String { indentedText(of: value, depth: 0) }

    private static func indentedText(of value: JSONValue, depth: Int) -> String {
        switch value.content {
        case .object(let members) where !members.isEmpty:
            let lines = members.map { text(of: $0.name) + ": " + indentedText(of: $0.value, depth: depth + 1) }
            return block("{", lines, "}", depth: depth)
        case .array(let elements) where !elements.isEmpty:
            return block("[", elements.map { indentedText(of: $0, depth: depth + 1) }, "]", depth: depth)
        default:
            return text(of: value)
        }
    }

    private static func block(_ open: String, _ lines: [String], _ close: String, depth: Int) -> String {
        let indent = String(repeating: "  ", count: depth)
        return open + "\n" + lines.map { indent + "  " + $0 }.joined(separator: ",\n") + "\n" + indent + close
    }

    private static func text(of name: String) -> String {
        var writer = JSONWriter()
        writer.string(name)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
