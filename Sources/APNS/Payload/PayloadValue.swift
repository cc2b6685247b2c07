import Envelope

/// A JSON value of your own: a member beside `aps`, the content state of a Live Activity, its attributes.
///
/// Written with literals, or read from JSON that an encoder made:
///
///     let state: PayloadValue = ["score": [2, 1], "minute": 71, "isOver": false]
public struct PayloadValue: Sendable, Equatable {
    indirect enum Content: Sendable, Equatable {
        case null
        case bool(Bool)
        case integer(Int64)
        case number(Double)
        /// A number that was read, as it was spelled.
        case spelled(String)
        case string(String)
        case array([PayloadValue])
        case object([Member])
    }

    struct Member: Sendable, Equatable {
        let name: String
        let value: PayloadValue
    }

    /// What is nested deeper is not written, and not read.
    public static let depthMax = 32

    let content: Content

    init(_ content: Content) { self.content = content }

    /// JSON's `null`.
    public static let null = PayloadValue(.null)

    /// A truth value.
    public init(_ flag: Bool) { content = .bool(flag) }

    /// A whole number.
    public init(_ number: Int64) { content = .integer(number) }

    /// A number with a fraction. Only a finite one can be written.
    public init(_ number: Double) { content = .number(number) }

    /// A text.
    public init(_ text: String) { content = .string(text) }

    /// An array.
    public init(_ elements: [PayloadValue]) { content = .array(elements) }

    /// An object whose members are written in this order. Equal names cannot be written.
    public init(members: [(name: String, value: PayloadValue)]) {
        content = .object(members.map { Member(name: $0.name, value: $0.value) })
    }

    /// Reads one JSON value: what `JSONEncoder` made of a `ContentState`, for example.
    ///
    /// - Parameter json: UTF-8, without equal names in one object; numbers keep their spelling.
    /// - Throws: `.notJSON`.
    public init(json: [UInt8]) throws(PayloadError) {
        self = PayloadValue(try PushPayload.parse(json))
    }

    init(_ value: JSONValue) {
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

    /// Whether JSON can say it: every number finite, no two equal names in one object, not too deep.
    var isWritable: Bool { isWritable(depthMax: Self.depthMax) }

    private func isWritable(depthMax: Int) -> Bool {
        switch content {
        case .null, .bool, .integer, .spelled, .string: return true
        case .number(let number): return number.isFinite
        case .array(let elements):
            return depthMax > 0 && elements.allSatisfy { $0.isWritable(depthMax: depthMax - 1) }
        case .object(let members):
            // Byte for byte: to Swift, two spellings of "é" are one name, and to JSON they are two.
            guard depthMax > 0, Set(members.map { Array($0.name.utf8) }).count == members.count else { return false }
            return members.allSatisfy { $0.value.isWritable(depthMax: depthMax - 1) }
        }
    }
}

extension PayloadValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// A truth value.
    public init(booleanLiteral value: Bool) { self.init(value) }

    /// A whole number.
    public init(integerLiteral value: Int64) { self.init(value) }

    /// A number with a fraction.
    public init(floatLiteral value: Double) { self.init(value) }
}

extension PayloadValue: ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    /// A text.
    public init(stringLiteral value: String) { self.init(value) }

    /// JSON's `null`.
    public init(nilLiteral: ()) { self = .null }
}

extension PayloadValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// An array.
    public init(arrayLiteral elements: PayloadValue...) { self.init(elements) }

    /// An object, its members in the order in which they stand there.
    public init(dictionaryLiteral elements: (String, PayloadValue)...) {
        self.init(members: elements.map { (name: $0.0, value: $0.1) })
    }
}
