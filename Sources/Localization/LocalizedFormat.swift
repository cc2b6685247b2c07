/// Puts arguments into a text of the app's tables: `%@`, `%1$@`, `%%`.
///
/// Arguments are strings of whoever sent the message, so nothing else is a specifier: `%d` or `%s` stays as it is written,
/// where a C function would read memory that nobody gave it.
package enum LocalizedFormat {
    /// Far beyond what is shown. One argument may stand in a format many times.
    package static let byteCountMax = 1 << 16
    private static let digitCountMax = 4

    /// - Parameters:
    ///   - format: a table's text.
    ///   - arguments: in the order of their numbers, from 1.
    ///   - missing: what stands for an argument that is not there. Nothing by default: what iOS writes in this case is not
    ///     documented, and Foundation's "(null)" means nothing to a person.
    /// - Returns: the text, cut where it would exceed `byteCountMax`.
    package static func string(_ format: String, _ arguments: [String], missing: String = "") -> String {
        var parts = Parts(format.unicodeScalars[...])
        var text = ""
        var next = 0
        while let part = parts.next() {
            let piece: String
            switch part {
            case .words(let words): piece = words
            case .argument(let number):
                // A place without a number takes the next argument, whatever places with numbers took.
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
        /// With its number, where it has one.
        case argument(Int?)
    }

    /// A format, front to back.
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

        /// `1$@`, all of it or nothing.
        private mutating func numbered() -> Part? {
            let start = rest
            let digits = rest.prefix { ("0"..."9").contains($0) }
            rest = rest[digits.endIndex...]
            // A number with more digits names no argument either way.
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
