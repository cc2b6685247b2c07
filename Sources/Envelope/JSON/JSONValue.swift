/// Parsed value (RFC 8259), with its offset for error messages.
package struct JSONValue: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        /// As spelled, with fraction or exponent, or "-0". Only if allowed.
        case fraction(String)
        case string(String)
        case array([JSONValue])
        case object([JSONMember])
    }

    package let content: Content
    package let offset: Int

    package init(content: Content, offset: Int) {
        self.content = content
        self.offset = offset
    }

    package var string: String? {
        if case .string(let text) = content { text } else { nil }
    }

    package var members: [JSONMember]? {
        if case .object(let members) = content { members } else { nil }
    }

    package var elements: [JSONValue]? {
        if case .array(let elements) = content { elements } else { nil }
    }

    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = content else { return nil }
        // By index: iterating would copy members.
        for index in members.indices where members[index].name.isNamed(name) { return members[index].value }
        return nil
    }
}

extension String {
    /// Compares with an ASCII name byte for byte. `==` is canonical equivalence, but other spellings of ASCII are
    /// longer (only U+037E, U+1FEF and U+212A exist).
    package func isNamed(_ name: String) -> Bool { utf8.count == name.utf8.count && self == name }
}

package struct JSONMember: Equatable, Sendable {
    package let name: String
    /// Of the name's opening quote.
    package let offset: Int
    package let value: JSONValue

    package init(name: String, offset: Int, value: JSONValue) {
        self.name = name
        self.offset = offset
        self.value = value
    }
}
