private import ServiceParts

/// Words of a command, for help, completions and manual.
package struct CommandTable: Sendable {
    /// Empty for a program's own work.
    package let name: String
    let summary: String
    let operands: String
    package let options: [Option]
    let text: String

    package init(
        _ name: String,
        _ summary: String,
        operands: String = "",
        options: [Option] = [],
        text: String = ""
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.options = options
        self.text = text
    }

    var operandWords: [String] {
        operands.replacing("|", with: " | ").split(separator: " ").map(String.init)
    }

    func nearestOption(to name: String) -> String? {
        // Too short for a guess.
        guard name.utf8.count > 3 else { return nil }
        return NearestName.nearest(to: name, among: (options + [.help]).map(\.name))
    }

    func hint(in program: String) -> String {
        usage(in: program, tail: " …") + "\n"
            + Columns.wrapped("'\(call(in: program)) --help' shows its options and an example.")
    }

    func help(in program: String) -> String {
        [
            usage(in: program, tail: " [options]"), Columns.wrapped(summary),
            Columns.table((options + [.help]).map { ($0.spelling, $0.sentence) }), Columns.filled(text),
        ]
        .filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    func usage(in program: String, tail: String) -> String {
        let words = call(in: program) + (operands.isEmpty ? "" : " " + operands) + tail
        return Columns.wrapped(words, indent: 7, lead: "usage: ")
    }

    private func call(in program: String) -> String { name.isEmpty ? program : "\(program) \(name)" }
}
