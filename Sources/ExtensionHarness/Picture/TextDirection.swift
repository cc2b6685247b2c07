/// Direction of a text, from its first letter with a direction.
///
/// - Source: Unicode Standard Annex #9, rules P2 and P3.
enum TextDirection {
    case leftToRight, rightToLeft

    init(of text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\u{200E}":
                self = .leftToRight
                return
            case "\u{200F}", "\u{061C}":
                self = .rightToLeft
                return
            case let letter where letter.properties.isAlphabetic:
                self = Self.isOfRightToLeftScript(letter) ? .rightToLeft : .leftToRight
                return
            default: continue
            }
        }
        self = .leftToRight
    }

    /// Blocks that Unicode reserves for right-to-left scripts: Swift does not expose a scalar's direction.
    private static func isOfRightToLeftScript(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{0590}"..."\u{08FF}", "\u{FB1D}"..."\u{FDFF}", "\u{FE70}"..."\u{FEFF}", "\u{10800}"..."\u{10FFF}",
            "\u{1E800}"..."\u{1EFFF}":
            true
        default: false
        }
    }
}
