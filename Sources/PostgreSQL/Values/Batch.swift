/// Constant SQL text with `$1` … for parameters. Contents can only be parameters.
package struct Statement: Hashable, Sendable {
    let text: String
    /// True for statements worth a plan that each connection keeps.
    let isPrepared: Bool

    package init(_ text: StaticString) {
        self.text = text.description
        isPrepared = true
    }

    /// Statement of constant parts, which others share.
    package init(joining parts: StaticString...) {
        text = parts.map(\.description).joined(separator: "\n")
        isPrepared = true
    }

    /// Statement that runs rarely, such as a change of the schema.
    package init(once text: StaticString) {
        self.text = text.description
        isPrepared = false
    }

    /// Rare statement about a table with a number in its name, which no parameter can be: in place of each `#`.
    package init(once text: StaticString, number: Int64) {
        self.text = text.description.replacing("#", with: String(number))
        isPrepared = false
    }
}

extension Statement: ExpressibleByStringLiteral {
    package init(stringLiteral text: StaticString) { self.init(text) }
}

/// Statements of one transaction, sent at once: all take effect, or none.
package struct Batch: Sendable {
    struct Call: Sendable {
        let statement: Statement
        let parameters: [Parameter]
    }

    /// False if it stores nothing: then its failure is never an uncertain one.
    let writes: Bool
    private(set) var calls: [Call] = []

    package var isEmpty: Bool { calls.isEmpty }

    package init(writes: Bool) { self.writes = writes }

    package mutating func add(_ statement: Statement, _ parameters: Parameter...) { add(statement, parameters) }

    package mutating func add(_ statement: Statement, _ parameters: [Parameter]) {
        calls.append(Call(statement: statement, parameters: parameters))
    }
}
