/// Command: its options and its action.
package protocol Command {
    static var name: String { get }
    /// One line for the overview.
    static var summary: String { get }
    /// Words after the options, such as "MESSAGE.json"; empty for none.
    static var operands: String { get }
    static var options: [Option] { get }
    static var example: String { get }

    init(_ arguments: Arguments) throws(CommandError)
    func run() async throws(CommandError)
}

package struct Option: Sendable {
    package let name: String
    /// Value's name; nil for a flag.
    let value: String?
    let help: String
    let isRequired: Bool
    let isRepeatable: Bool

    package init(flag name: String, _ help: String) {
        self.init(name: name, value: nil, help: help, isRequired: false, isRepeatable: false)
    }

    package init(_ name: String, _ value: String, _ help: String, isRequired: Bool = false, isRepeatable: Bool = false)
    {
        self.init(name: name, value: value, help: help, isRequired: isRequired, isRepeatable: isRepeatable)
    }

    private init(name: String, value: String?, help: String, isRequired: Bool, isRepeatable: Bool) {
        self.name = name
        self.value = value
        self.help = help
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
    }

    var spelling: String { value.map { "\(name) \($0)" } ?? name }

    package static let json = Option(flag: "--json", "prints one JSON object per line, for programs")
    package static let allowExampleKeys = Option(
        flag: "--allow-example-keys",
        "loads the keys of keys-example, which protect nothing"
    )
}

extension Command {
    /// Usage text.
    static func help(in program: String) -> String {
        let all = options + [Option(flag: "--help", "prints this help")]
        let width = all.map(\.spelling.count).max() ?? 0
        let lines = all.map { option in
            let gap = String(repeating: " ", count: width - option.spelling.count + 2)
            return "  \(option.spelling)\(gap)\(option.help)\(option.isRequired ? " (required)" : "")"
        }
        let tail = operands.isEmpty ? "" : " " + operands
        return """
            usage: \(program) \(name)\(tail) [options]

            \(summary)

            \(lines.joined(separator: "\n"))

            \(example)
            """
    }
}
