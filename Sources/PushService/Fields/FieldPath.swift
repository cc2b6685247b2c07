/// The path of a value in a document. Made for every field that is read, so it builds no text before `pointer`.
package indirect enum FieldPath: Equatable, Sendable {
    case root
    case member(FieldPath, String)
    case element(FieldPath, Int)

    /// A JSON pointer, empty for the whole document.
    ///
    /// - Source: RFC 6901 section 3.
    package var pointer: String {
        switch self {
        case .root: return ""
        case .element(let parent, let index): return "\(parent.pointer)/\(index)"
        case .member(let parent, let name):
            var text = parent.pointer + "/"
            for character in name.unicodeScalars {
                switch character {
                case "~": text += "~0"
                case "/": text += "~1"
                default: text.unicodeScalars.append(character)
                }
            }
            return text
        }
    }
}
