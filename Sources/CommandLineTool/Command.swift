package protocol Command {
    static var name: String { get }
    /// One line for the overview.
    static var summary: String { get }
    /// Words after the options, such as "MESSAGE.json"; empty for none. Lower case stands for itself.
    static var operands: String { get }
    static var options: [Option] { get }
    /// "Example:", indented command lines, then paragraphs.
    static var example: String { get }

    init(_ arguments: Arguments) throws(CommandError)
    func run() async throws(CommandError)
}

extension Command {
    static var table: CommandTable {
        CommandTable(name, summary, operands: operands, options: options, text: example)
    }
}

package struct Option: Sendable {
    package let name: String
    /// Name or choices: "FILE", "apple|spec"; nil for a flag.
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

    var short: String? { name == "--out" ? "-o" : nil }

    var names: [String] { [short, name].compactMap(\.self) }

    /// Such as "-o, --out FILE".
    var spelling: String { names.joined(separator: ", ") + (value.map { " " + $0 } ?? "") }

    var sentence: String { help + (isRequired ? " (required)" : "") }

    package static let json = Option(flag: "--json", "prints one JSON object per line, for programs")
    package static let allowExampleKeys = Option(
        flag: "--allow-example-keys",
        "loads the keys of keys-example, which protect nothing"
    )
    static let help = Option(flag: "--help", "prints this help")
}
