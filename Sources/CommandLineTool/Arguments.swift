/// Parsed options with values, flags and operands. Anything unknown is an error.
package struct Arguments: Sendable {
    package let operands: [String]
    private let values: [String: [String]]
    private let flags: Set<String>
    private let hint: String

    init(_ words: [String], for command: any Command.Type, in program: String) throws(CommandError) {
        let table = command.table
        let hint = table.hint(in: program)
        var operands: [String] = []
        var values: [String: [String]] = [:]
        var flags: Set<String> = []
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let word = String(parts[0])
            guard let option = table.options.first(where: { $0.names.contains(word) }) else {
                let nearest = table.nearestOption(to: word).map { "; did you mean '\($0)'?" } ?? ""
                throw .usage("\(table.name) has no option '\(TerminalText.safe(word))'\(nearest)", hint: hint)
            }
            let name = option.name
            guard option.value != nil else {
                guard parts.count == 1 else { throw .usage("\(name) takes no value", hint: hint) }
                flags.insert(name)
                continue
            }
            guard let value = parts.count == 2 ? String(parts[1]) : Self.popValue(&rest), !value.isEmpty else {
                throw .usage("\(option.spelling): the value is missing", hint: hint)
            }
            guard option.isRepeatable || values[name] == nil else {
                throw .usage("\(name) is given twice", hint: hint)
            }
            values[name, default: []].append(value)
        }
        if let option = table.options.first(where: { $0.isRequired && values[$0.name] == nil }) {
            throw .usage("\(option.name) is missing", hint: hint)
        }
        self.operands = operands
        self.values = values
        self.flags = flags
        self.hint = hint
    }

    /// Takes the next word, unless it is an option: then the value is missing. A value that begins so is written
    /// --name=value.
    private static func popValue(_ rest: inout ArraySlice<String>) -> String? {
        guard let word = rest.first, !word.hasPrefix("--") else { return nil }
        return rest.popFirst()
    }

    package func flag(_ option: Option) -> Bool { flags.contains(option.name) }

    package func value(_ name: String) -> String? { values[name]?.last }

    package func values(_ name: String) -> [String] { values[name] ?? [] }

    package func required(_ name: String) throws(CommandError) -> String {
        guard let value = value(name) else { throw wrong("\(name) is missing") }
        return value
    }

    /// - Returns: nil without the option.
    package func number(_ name: String, _ range: ClosedRange<Int>) throws(CommandError) -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let end = range.upperBound == .max ? "" : " to \(range.upperBound)"
            throw wrong("\(name) must be a number from \(range.lowerBound)\(end)")
        }
        return number
    }

    /// The only operand.
    package func operand(_ name: String) throws(CommandError) -> String {
        guard let operand = operands.first else { throw wrong("\(name) is missing") }
        guard operands.count == 1 else { throw wrong("only one \(name) is allowed") }
        return operand
    }

    package func noOperands() throws(CommandError) {
        guard let operand = operands.first else { return }
        throw wrong("unexpected operand '\(TerminalText.safe(operand))'")
    }

    package func wrong(_ reason: String) -> CommandError { .usage(reason, hint: hint) }

    /// - Parameter reason: follows an option's name in the sentence.
    package func refuse(_ options: String..., because reason: String) throws(CommandError) {
        for option in options where value(option) != nil { throw wrong("\(option) \(reason)") }
    }
}
