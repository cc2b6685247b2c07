import Envelope

/// The only line of a command with --json.
struct JSONLine {
    let value: JSONValue

    init(_ output: String) throws {
        guard output.hasSuffix("\n"), output.dropLast().allSatisfy({ !$0.isNewline }) else {
            throw Unexpected("not one line: \(output)")
        }
        value = try JSONValue(line: output)
    }

    func text(_ name: String) throws -> String { try value.text(name) }

    func integer(_ name: String) throws -> Int64 { try value.integer(name) }

    func bool(_ name: String) throws -> Bool {
        guard case .bool(let flag) = value[name]?.content else { throw Unexpected("no bool \(name)") }
        return flag
    }
}
