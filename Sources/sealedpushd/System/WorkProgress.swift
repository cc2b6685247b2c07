import CommandLineTool

struct WorkProgress {
    private let progress: ProgressLine

    init(_ text: String) { progress = ProgressLine { text } }

    init(_ text: String, from source: String, to path: String) {
        progress = ProgressLine(text, from: source, to: path)
    }

    func end() { progress.end() }
}
