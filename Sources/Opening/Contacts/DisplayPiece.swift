/// Unit of text layout: a character, or a scalar that stands alone.
protocol DisplayPiece {
    var isNewline: Bool { get }
    var isWhitespace: Bool { get }
    /// True if it leaves ink on the screen.
    var isVisible: Bool { get }
    /// True if it begins with a scalar drawn at the letter before it.
    var isJoint: Bool { get }

    func append(to text: inout String)
}

extension Character: DisplayPiece {
    private static let markCountMax = 4
    private static let scalarCountMax = 16

    var isVisible: Bool { unicodeScalars.contains(where: TextScalars.isVisible) }
    var isJoint: Bool { unicodeScalars.first.map(TextScalars.isJoint) ?? false }

    /// Bounds the stack of marks.
    func append(to text: inout String) {
        // Too short for more marks.
        guard utf8.count > Self.markCountMax else { return text.append(self) }
        var count = (scalars: 0, marks: 0)
        for scalar in unicodeScalars {
            guard count.scalars < Self.scalarCountMax else { break }
            if TextScalars.stacks(scalar) {
                count.marks += 1
                guard count.marks <= Self.markCountMax else { continue }
            }
            text.unicodeScalars.append(scalar)
            count.scalars += 1
        }
    }
}

extension Unicode.Scalar: DisplayPiece {
    var isNewline: Bool { self == "\n" }
    var isWhitespace: Bool { self == " " || self == "\n" }
    var isVisible: Bool { !isWhitespace }
    var isJoint: Bool { false }

    func append(to text: inout String) { text.unicodeScalars.append(self) }
}
