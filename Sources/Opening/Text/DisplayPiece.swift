/// What a text on a screen is laid out from: characters, or scalars where each of them is a character.
protocol DisplayPiece {
    var isNewline: Bool { get }
    var isWhitespace: Bool { get }
    /// Whether it leaves ink on the screen.
    var isVisible: Bool { get }
    /// Whether it begins with what is drawn at the letter before it.
    var isJoint: Bool { get }

    func append(to text: inout String)
}

extension Character: DisplayPiece {
    private static let markCountMax = 4
    private static let scalarCountMax = 16

    var isVisible: Bool { unicodeScalars.contains(where: TextScalars.isVisible) }
    var isJoint: Bool { unicodeScalars.first.map(TextScalars.isJoint) ?? false }

    /// With what is stacked on it, up to a height.
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

/// One that stands alone.
extension Unicode.Scalar: DisplayPiece {
    var isNewline: Bool { self == "\n" }
    var isWhitespace: Bool { self == " " || self == "\n" }
    var isVisible: Bool { !isWhitespace }
    var isJoint: Bool { false }

    func append(to text: inout String) { text.unicodeScalars.append(self) }
}
