enum TextScalars {
    /// England, Scotland and Wales: a black flag, a word in tags and their end.
    ///
    /// - Source: RGI_Emoji_Tag_Sequence of emoji-sequences.txt.
    private static let flags = ["gbeng", "gbsct", "gbwls"].map { word in
        let tags = word.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0xE0000) }
        return [blackFlag] + tags + ["\u{E007F}"]
    }
    private static let blackFlag: Unicode.Scalar = "\u{1F3F4}"

    /// Removes scalars that reverse, hide or control text, and unifies white space. `keepsIsolates` keeps U+2066 to
    /// U+2069.
    static func allowed(_ text: String, keepsIsolates: Bool) -> String {
        var kept = String.UnicodeScalarView()
        var isAfterReturn = false
        let scalars = text.unicodeScalars
        var index = scalars.startIndex
        while index < scalars.endIndex {
            let scalar = scalars[index]
            // Elsewhere, tag characters are invisible words.
            if scalar == blackFlag, let flag = flags.first(where: { scalars[index...].starts(with: $0) }) {
                kept.append(contentsOf: flag)
                index = scalars.index(index, offsetBy: flag.count)
                isAfterReturn = false
                continue
            }
            switch scalar.value {
            case 0x09: kept.append(" ")
            case 0x0A where isAfterReturn: break
            case 0x0A...0x0D, 0x85, 0x2028, 0x2029: kept.append("\n")
            case 0x2066...0x2069 where keepsIsolates: kept.append(scalar)
            default: if isAllowed(scalar) { kept.append(scalar) }
            }
            isAfterReturn = scalar == "\r"
            index = scalars.index(after: index)
        }
        return String(kept)
    }

    /// True for displayable scalars that are whole characters beside any neighbour: letters and signs of Western
    /// Europe, Greek, Cyrillic, Chinese, Japanese and Korean, space and line feed.
    static func standsAlone(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A, 0x20...0x7E: true
        // Not the no-break space, the soft hyphen, and the signs that can be emoji.
        case 0xA1...0xA8, 0xAA...0xAC, 0xAF...0x2FF: true
        case 0x370...0x377, 0x37B...0x37F, 0x384...0x386, 0x388...0x3FF, 0x400...0x482, 0x48A...0x52F: true
        case 0x3041...0x3096, 0x30A0...0x30FF, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
        default: false
        }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // ASCII skips Unicode's tables, here and below.
        case 0x20...0x7E: true
        // Joiners and marks of direction.
        case 0x200C...0x200F, 0x061C: true
        // Variation selectors, between text and emoji or two forms of a letter.
        case 0xFE00...0xFE0F, 0xE0100...0xE01EF, 0x180B...0x180D, 0x180F: true
        // Embeddings and overrides.
        case 0x202A...0x202E: false
        // Interlinear annotation.
        case 0xFFF9...0xFFFB: false
        default:
            // Other ignorables have no width and no use in words: isolates, zero-width space, word joiner, byte order
            // mark, soft hyphen, fillers, tags, musical formats.
            !scalar.properties.isDefaultIgnorableCodePoint && scalar.properties.generalCategory != .control
        }
    }

    static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x21...0x7E).contains(scalar.value) }
        // The braille pattern without dots.
        guard scalar.value != 0x2800, !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .spaceSeparator, .lineSeparator, .paragraphSeparator, .nonspacingMark,
            .enclosingMark:
            return false
        default: return true
        }
    }

    /// True if drawn over or under the scalar before it.
    static func stacks(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII, !scalar.properties.isVariationSelector else { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return true
        default: return false
        }
    }

    /// Removes scalars at the ends that would change letters around.
    static func withoutJoints(_ text: String) -> String {
        let start = text.unicodeScalars.drop { isJoint($0) || $0.properties.isEmojiModifier }
        var kept = start
        while let last = kept.last, last.properties.generalCategory == .format { kept.removeLast() }
        return String(kept)
    }

    /// Marks of every kind, selectors and joiners.
    static func isJoint(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else { return false }
        return scalar.properties.isGraphemeExtend || isJoiner(scalar)
            || scalar.properties.generalCategory == .spacingMark
    }

    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool { (0x200C...0x200D).contains(scalar.value) }

    /// By block: the standard library lacks the exact property; a superfluous isolate is harmless.
    static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0590...0x08FF, 0x200F, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
