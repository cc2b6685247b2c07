/// Parser for untrusted JSON: RFC 8259 without the freedoms on which readers disagree.
///
/// Foundation takes a byte order mark, UTF-16 and trailing commas, and its readers differ on repeated names. Here names
/// are unique, numbers are integers unless allowed, depth and length are bounded.
package struct JSONParser {
    package struct Limits: Sendable {
        package var byteCountMax: Int
        package var depthMax: Int
        package var allowsFractions: Bool

        package init(byteCountMax: Int, depthMax: Int, allowsFractions: Bool) {
            self.byteCountMax = byteCountMax
            self.depthMax = depthMax
            self.allowsFractions = allowsFractions
        }
    }

    private let bytes: [UInt8]
    private let limits: Limits
    private var position = 0

    /// Parses one value that fills `bytes`, apart from white space.
    package static func parse(_ bytes: [UInt8], limits: Limits) throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.byteCountMax else {
            throw JSONError(reason: .tooLong(byteCountMax: limits.byteCountMax), offset: limits.byteCountMax)
        }
        guard !byteOrderMarks.contains(where: bytes.starts) else { throw JSONError(reason: .byteOrderMark, offset: 0) }
        var parser = JSONParser(bytes: bytes, limits: limits)
        let value = try parser.value(depth: 0)
        parser.skipWhiteSpace()
        guard parser.position == bytes.count else { throw parser.error(.trailingBytes) }
        return value
    }

    private static let byteOrderMarks: [[UInt8]] = [[0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE]]

    private init(bytes: [UInt8], limits: Limits) {
        self.bytes = bytes
        self.limits = limits
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipWhiteSpace()
        let start = position
        guard let first = peek else { throw error(.unexpectedEnd) }
        let content: JSONValue.Content
        switch first {
        case UInt8(ascii: "{"): content = .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): content = .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): content = .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): content = try number()
        case UInt8(ascii: "t"): content = try literal("true", .bool(true))
        case UInt8(ascii: "f"): content = try literal("false", .bool(false))
        case UInt8(ascii: "n"): content = try literal("null", .null)
        default: throw error(.expectedValue)
        }
        return JSONValue(content: content, offset: start)
    }

    private mutating func object(depth: Int) throws(JSONError) -> [JSONMember] {
        guard depth <= limits.depthMax else { throw error(.tooDeep(depthMax: limits.depthMax)) }
        position += 1
        var members: [JSONMember] = []
        // For large objects only.
        var names: Set<[UInt8]> = []
        skipWhiteSpace()
        if consume("}") { return members }
        members.reserveCapacity(4)
        while true {
            skipWhiteSpace()
            let start = position
            guard let next = peek else { throw error(.unexpectedEnd) }
            guard next == UInt8(ascii: "\"") else {
                throw error(members.isEmpty ? .expectedNameOrEnd : .expectedName)
            }
            let name = try string()
            guard isNew(name, members, &names) else {
                throw JSONError(reason: .duplicateName, offset: start)
            }
            skipWhiteSpace()
            guard consume(":") else { throw error(peek == nil ? .unexpectedEnd : .expectedColon) }
            members.append(JSONMember(name: name, offset: start, value: try value(depth: depth)))
            skipWhiteSpace()
            if consume("}") { return members }
            guard consume(",") else { throw error(peek == nil ? .unexpectedEnd : .expectedCommaOrEnd) }
        }
    }

    private static let comparedCountMax = 8

    private func isNew(_ name: String, _ members: [JSONMember], _ names: inout Set<[UInt8]>) -> Bool {
        guard members.count >= Self.comparedCountMax else {
            return !members.contains { $0.name.utf8.count == name.utf8.count && $0.name.utf8.elementsEqual(name.utf8) }
        }
        if names.isEmpty { for member in members { names.insert(Array(member.name.utf8)) } }
        return names.insert(Array(name.utf8)).inserted
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth <= limits.depthMax else { throw error(.tooDeep(depthMax: limits.depthMax)) }
        position += 1
        var elements: [JSONValue] = []
        skipWhiteSpace()
        if consume("]") { return elements }
        while true {
            elements.append(try value(depth: depth))
            skipWhiteSpace()
            if consume("]") { return elements }
            guard consume(",") else { throw error(peek == nil ? .unexpectedEnd : .expectedCommaOrEnd) }
        }
    }

    private mutating func string() throws(JSONError) -> String {
        var scanner = JSONStringScanner(bytes: bytes, position: position + 1)
        let text = try scanner.scan()
        position = scanner.position
        return text
    }

    private mutating func literal(_ word: StaticString, _ content: JSONValue.Content) throws(JSONError)
        -> JSONValue.Content
    {
        for expected in "\(word)".utf8 {
            guard let next = peek else { throw error(.unexpectedEnd) }
            guard next == expected else { throw error(.expectedValue) }
            position += 1
        }
        return content
    }

    private mutating func skipWhiteSpace() {
        while let next = peek, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { position += 1 }
    }
}

extension JSONParser {
    private mutating func number() throws(JSONError) -> JSONValue.Content {
        let start = position
        _ = consume("-")
        let firstDigit = position
        let digitCount = skipDigits()
        guard digitCount > 0 || peek != nil else { throw error(.unexpectedEnd) }
        guard digitCount > 0, digitCount == 1 || bytes[firstDigit] != UInt8(ascii: "0") else {
            throw JSONError(reason: .badNumber, offset: start)
        }
        var isFraction = false
        if consume(".") {
            isFraction = true
            guard skipDigits() > 0 else { throw error(peek == nil ? .unexpectedEnd : .badNumber) }
        }
        if consume("e") || consume("E") {
            isFraction = true
            if !consume("+") { _ = consume("-") }
            guard skipDigits() > 0 else { throw error(peek == nil ? .unexpectedEnd : .badNumber) }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        // "-0" is an integer to some readers and a double to others.
        guard !isFraction, text != "-0" else {
            guard limits.allowsFractions else { throw JSONError(reason: .notAnInteger, offset: start) }
            return .fraction(text)
        }
        guard let number = Int64(text) else { throw JSONError(reason: .numberOutOfRange, offset: start) }
        return .integer(number)
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let next = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { position += 1 }
        return position - start
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private func error(_ reason: JSONError.Reason) -> JSONError { JSONError(reason: reason, offset: position) }
}
