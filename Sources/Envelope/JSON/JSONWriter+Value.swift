extension JSONWriter {
    static func text(of value: JSONValue) -> String { String(decoding: bytes(of: value), as: UTF8.self) }

    package static func bytes(of value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(value)
        return writer.bytes
    }

    private mutating func value(_ value: JSONValue) {
        switch value.content {
        case .null: raw(Array("null".utf8))
        case .bool(let flag): raw(Array((flag ? "true" : "false").utf8))
        case .integer(let number): integer(number)
        case .fraction(let text): raw(Array(text.utf8))
        case .string(let text): string(text)
        case .array(let elements): array { writer in for element in elements { writer.value(element) } }
        case .object(let members):
            object { writer in
                for member in members {
                    writer.name(member.name)
                    writer.value(member.value)
                }
            }
        }
    }
}
