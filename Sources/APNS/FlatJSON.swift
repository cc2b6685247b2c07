/// One small JSON object (RFC 8259), read for its strings and whole numbers: the header and the claims of a provider
/// token, the body of an error answer. Members of any other kind are checked, then known only as `.other`.
///
/// Total over untrusted bytes: no recursion beyond `depthMax`, no name twice, nothing behind the closing brace.
package struct FlatJSON {
    package enum Value: Equatable {
        case string(String)
        case integer(Int64)
        case other
    }

    private static let depthMax = 8
    private static let memberCountMax = 32
    private var members: [String: Value] = [:]

    /// - Returns: `nil` unless `bytes` are one JSON object with at most 32 differently named members.
    package init?(_ bytes: [UInt8]) {
        var reader = Reader(bytes: bytes)
        reader.skipSpace()
        guard reader.take("{") else { return nil }
        reader.skipSpace()
        if !reader.take("}") {
            repeat {
                reader.skipSpace()
                guard members.count < Self.memberCountMax, let name = reader.string() else { return nil }
                reader.skipSpace()
                guard reader.take(":"), let value = reader.value(depth: 1) else { return nil }
                guard members.updateValue(value, forKey: name) == nil else { return nil }
                reader.skipSpace()
            } while reader.take(",")
            guard reader.take("}") else { return nil }
        }
        reader.skipSpace()
        guard reader.isAtEnd else { return nil }
    }

    package subscript(name: String) -> Value? { members[name] }

    private struct Reader {
        private let bytes: [UInt8]
        private var offset = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { offset == bytes.count }
        private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

        mutating func skipSpace() {
            while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
        }

        mutating func take(_ scalar: Unicode.Scalar) -> Bool {
            guard next == UInt8(ascii: scalar) else { return false }
            offset += 1
            return true
        }

        mutating func value(depth: Int) -> Value? {
            skipSpace()
            switch next {
            case UInt8(ascii: "\""): return string().map { .string($0) }
            case UInt8(ascii: "{"), UInt8(ascii: "["): return skipNested(depth: depth) ? .other : nil
            case UInt8(ascii: "t"): return takeWord("true") ? .other : nil
            case UInt8(ascii: "f"): return takeWord("false") ? .other : nil
            case UInt8(ascii: "n"): return takeWord("null") ? .other : nil
            default: return number()
            }
        }

        private mutating func takeWord(_ word: StaticString) -> Bool {
            for scalar in "\(word)".unicodeScalars { guard take(scalar) else { return false } }
            return true
        }

        private mutating func skipNested(depth: Int) -> Bool {
            guard depth < FlatJSON.depthMax else { return false }
            let isObject = take("{")
            if !isObject { _ = take("[") }
            let closing: Unicode.Scalar = isObject ? "}" : "]"
            skipSpace()
            if take(closing) { return true }
            repeat {
                skipSpace()
                if isObject {
                    guard string() != nil else { return false }
                    skipSpace()
                    guard take(":") else { return false }
                }
                guard value(depth: depth + 1) != nil else { return false }
                skipSpace()
            } while take(",")
            return take(closing)
        }

        /// A whole number that fits is `.integer`; a fraction, an exponent or a giant is `.other`.
        private mutating func number() -> Value? {
            let isNegative = take("-")
            var magnitude: Int64? = 0
            let start = offset
            while let digit = takeDigit() {
                guard let previous = magnitude else { continue }
                let (product, overflow) = previous.multipliedReportingOverflow(by: 10)
                let (sum, overflow2) = product.addingReportingOverflow(Int64(digit))
                magnitude = overflow || overflow2 ? nil : sum
            }
            guard offset > start else { return nil }
            if offset - start > 1, bytes[start] == UInt8(ascii: "0") { return nil }
            var isWhole = true
            if take(".") {
                isWhole = false
                guard skipDigits() else { return nil }
            }
            if take("e") || take("E") {
                isWhole = false
                if !take("+") { _ = take("-") }
                guard skipDigits() else { return nil }
            }
            guard isWhole, let magnitude else { return .other }
            return .integer(isNegative ? -magnitude : magnitude)
        }

        private mutating func takeDigit() -> UInt8? {
            guard let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            offset += 1
            return byte - UInt8(ascii: "0")
        }

        private mutating func skipDigits() -> Bool {
            guard takeDigit() != nil else { return false }
            while takeDigit() != nil {}
            return true
        }

        /// A string in quotes; its bytes must be UTF-8 without bare control characters, its escapes those of RFC 8259.
        mutating func string() -> String? {
            guard take("\"") else { return nil }
            var utf8: [UInt8] = []
            while let byte = next {
                offset += 1
                switch byte {
                case UInt8(ascii: "\""): return String(validating: utf8, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let scalar = escape() else { return nil }
                    utf8.append(contentsOf: String(Character(scalar)).utf8)
                case 0..<0x20: return nil
                default: utf8.append(byte)
                }
            }
            return nil
        }

        private mutating func escape() -> Unicode.Scalar? {
            guard let byte = next else { return nil }
            offset += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
            case UInt8(ascii: "b"): return "\u{08}"
            case UInt8(ascii: "f"): return "\u{0C}"
            case UInt8(ascii: "n"): return "\n"
            case UInt8(ascii: "r"): return "\r"
            case UInt8(ascii: "t"): return "\t"
            case UInt8(ascii: "u"): return unicodeEscape()
            default: return nil
            }
        }

        private mutating func unicodeEscape() -> Unicode.Scalar? {
            guard let first = codeUnit() else { return nil }
            guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
            guard take("\\"), take("u"), let second = codeUnit() else { return nil }
            guard (0xDC00..<0xE000).contains(second) else { return nil }
            return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        }

        private mutating func codeUnit() -> UInt32? {
            var unit: UInt32 = 0
            for _ in 0..<4 {
                guard let digit = next.flatMap(Hex.value(of:)) else { return nil }
                offset += 1
                unit = unit << 4 | UInt32(digit)
            }
            return unit
        }
    }
}
