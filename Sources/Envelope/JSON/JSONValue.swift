/// A parsed JSON value (RFC 8259). Each value knows where it began, so that a tool can name line and column.
package struct JSONValue: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        /// A number with a fraction or an exponent, or "-0", as it was spelled. Only where the parser was told to allow it.
        case fraction(String)
        case string(String)
        case array([JSONValue])
        case object([JSONMember])
    }

    package let content: Content
    /// Bytes before the value's first.
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

    /// The member named exactly so, byte for byte.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = content else { return nil }
        // By their places: a member that is taken out to be looked at is copied.
        for index in members.indices where members[index].name.isNamed(name) { return members[index].value }
        return nil
    }
}

extension String {
    /// Whether this has the bytes of a name of ours, which is ASCII: `==` takes two spellings of a character for one text,
    /// but every other spelling of an ASCII character is longer (U+037E, U+1FEF and U+212A are all that there are).
    package func isNamed(_ name: String) -> Bool { utf8.count == name.utf8.count && self == name }
}

package struct JSONMember: Equatable, Sendable {
    package let name: String
    /// Bytes before the name's opening quote.
    package let offset: Int
    package let value: JSONValue

    package init(name: String, offset: Int, value: JSONValue) {
        self.name = name
        self.offset = offset
        self.value = value
    }
}
