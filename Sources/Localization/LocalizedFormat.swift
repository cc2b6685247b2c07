/// Puts arguments into a text: `%@`, `%1$@`, `%%`.
///
/// Arguments come from the sender, so `%d` or `%s` stays unchanged, where a C function would read arbitrary memory.
package enum LocalizedFormat {
    /// Far beyond any displayed text; arguments may be repeated.
    package static let byteCountMax = 1 << 16
    private static let digitCountMax = 4

    /// Numbers arguments from 1, and cuts the text before `byteCountMax`. `missing` is empty by default: iOS does not
    /// document its text, and Foundation's "(null)" means nothing to a person.
    package static func string(_ format: String, _ arguments: [String], missing: String = "") -> String {
        var parts = Parts(format.unicodeScalars[...])
        var text = ""
        var next = 0
        while let part = parts.next() {
            let piece: String
            switch part {
            case .words(let words): piece = words
            case .argument(let number):
                // Regardless of numbered ones.
                if number == nil { next += 1 }
                let index = (number ?? next) - 1
                piece = arguments.indices.contains(index) ? arguments[index] : missing
            }
            guard text.utf8.count + piece.utf8.count <= byteCountMax else { break }
            text += piece
        }
        return text
    }

    private enum Part {
        case words(String)
        case argument(Int?)
    }

    private struct Parts {
        private var rest: Substring.UnicodeScalarView

        init(_ format: Substring.UnicodeScalarView) { rest = format }

        mutating func next() -> Part? {
            guard let first = rest.first else { return nil }
            guard first == "%" else {
                let words = rest.prefix { $0 != "%" }
                rest = rest[words.endIndex...]
                return .words(String(words))
            }
            rest.removeFirst()
            if take("@") { return .argument(nil) }
            if take("%") { return .words("%") }
            return numbered() ?? .words("%")
        }

        /// All of `1$@`, or nothing.
        private mutating func numbered() -> Part? {
            let start = rest
            let digits = rest.prefix { ("0"..."9").contains($0) }
            rest = rest[digits.endIndex...]
            // More digits number no argument.
            if let number = Int(String(digits)), digits.count <= digitCountMax, number > 0,
                take("$"), take("@")
            {
                return .argument(number)
            }
            rest = start
            return nil
        }

        private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
            guard rest.first == scalar else { return false }
            rest.removeFirst()
            return true
        }
    }
}
