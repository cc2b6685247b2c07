/// Path of a value. Made for every field, so builds text in `pointer` only.
package indirect enum FieldPath: Equatable, Sendable {
    case root
    case member(FieldPath, String)
    case element(FieldPath, Int)

    /// JSON pointer (RFC 6901 section 3), empty for the whole document.
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
