package import Envelope

/// JSON value of your app, such as a member beside `aps` or a Live Activity's content state.
///
/// Made of literals, or of an encoder's JSON:
///
///     let state: PayloadValue = ["score": [2, 1], "minute": 71, "isOver": false]
public struct PayloadValue: Sendable, Equatable {
    indirect enum Content: Sendable, Equatable {
        case null
        case bool(Bool)
        case integer(Int64)
        case number(Double)
        /// Number from JSON, in its original spelling.
        case spelled(String)
        case string(String)
        case array([PayloadValue])
        case object([Member])
    }

    struct Member: Sendable, Equatable {
        let name: String
        let value: PayloadValue
    }

    /// Deepest nesting that is read or written.
    public static let depthMax = 32

    let content: Content

    init(_ content: Content) { self.content = content }

    /// JSON `null`.
    public static let null = PayloadValue(.null)

    /// Boolean.
    public init(_ flag: Bool) { content = .bool(flag) }

    /// Whole number.
    public init(_ number: Int64) { content = .integer(number) }

    /// Number with a fraction. Only a finite one can be written.
    public init(_ number: Double) { content = .number(number) }

    /// Text.
    public init(_ text: String) { content = .string(text) }

    /// Array.
    public init(_ elements: [PayloadValue]) { content = .array(elements) }

    /// Object with its members in this order. Duplicate names cannot be written.
    public init(members: [(name: String, value: PayloadValue)]) {
        content = .object(members.map { Member(name: $0.name, value: $0.value) })
    }

    /// Reads one JSON value, such as `JSONEncoder`'s output for a `ContentState`.
    ///
    /// - Parameter json: UTF-8, without duplicate names in one object; numbers keep their spelling.
    /// - Throws: `.tooLarge`, `.notJSON`.
    public init(json: [UInt8]) throws(PayloadError) {
        self = PayloadValue(try PushPayload.parse(json))
    }

    package init(_ value: JSONValue) {
        switch value.content {
        case .null: content = .null
        case .bool(let flag): content = .bool(flag)
        case .integer(let number): content = .integer(number)
        case .fraction(let text): content = .spelled(text)
        case .string(let text): content = .string(text)
        case .array(let elements): content = .array(elements.map { PayloadValue($0) })
        case .object(let members):
            content = .object(members.map { Member(name: $0.name, value: PayloadValue($0.value)) })
        }
    }

    var isObject: Bool {
        if case .object = content { true } else { false }
    }

    /// True if JSON can express it: finite numbers, no duplicate names in one object, not too deep.
    var isWritable: Bool { isWritable(depthMax: Self.depthMax) }

    private func isWritable(depthMax: Int) -> Bool {
        switch content {
        case .null, .bool, .integer, .spelled, .string: return true
        case .number(let number): return number.isFinite
        case .array(let elements):
            return depthMax > 0 && elements.allSatisfy { $0.isWritable(depthMax: depthMax - 1) }
        case .object(let members):
            // Bytes: Swift treats two spellings of "é" as one name, JSON as two.
            guard depthMax > 0, Set(members.map { Array($0.name.utf8) }).count == members.count else { return false }
            return members.allSatisfy { $0.value.isWritable(depthMax: depthMax - 1) }
        }
    }
}

extension PayloadValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Boolean.
    public init(booleanLiteral value: Bool) { self.init(value) }

    /// Whole number.
    public init(integerLiteral value: Int64) { self.init(value) }

    /// Number with a fraction.
    public init(floatLiteral value: Double) { self.init(value) }
}

extension PayloadValue: ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    /// Text.
    public init(stringLiteral value: String) { self.init(value) }

    /// JSON `null`.
    public init(nilLiteral: ()) { self = .null }
}

extension PayloadValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Array.
    public init(arrayLiteral elements: PayloadValue...) { self.init(elements) }

    /// Object with its members in the order of the literal.
    public init(dictionaryLiteral elements: (String, PayloadValue)...) {
        self.init(members: elements.map { (name: $0.0, value: $0.1) })
    }
}
