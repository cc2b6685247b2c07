/// A broken rule of the house with its place. An error where nothing can be read any further.
struct Finding: Error, Hashable, CustomStringConvertible {
    let path: String
    /// 1 for the first.
    let line: Int
    /// The fault, and the remedy.
    let problem: String

    var description: String { "\(path):\(line): \(problem)" }
}

struct TextFile {
    /// From the root of the checkout.
    let path: String
    let text: String

    /// Lines with their numbers, from 1.
    var lines: [(number: Int, text: Substring)] { Self.numbered(text) }

    static func numbered(_ text: String) -> [(number: Int, text: Substring)] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            .map { (number: $0.offset + 1, text: $0.element) }
    }
}
