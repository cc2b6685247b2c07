/// A rule of the house that is broken somewhere. An error where nothing can be read any further.
struct Finding: Error, Hashable, CustomStringConvertible {
    let path: String
    /// 1 for the first.
    let line: Int
    /// What is wrong, and what to do instead.
    let problem: String

    var description: String { "\(path):\(line): \(problem)" }
}

/// A text of the checkout, or one that a test made up.
struct TextFile {
    /// From the root of the checkout.
    let path: String
    let text: String

    /// With the number of each, from 1.
    var lines: [(number: Int, text: Substring)] { Self.numbered(text) }

    static func numbered(_ text: String) -> [(number: Int, text: Substring)] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            .map { (number: $0.offset + 1, text: $0.element) }
    }
}
