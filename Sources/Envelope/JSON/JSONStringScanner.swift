/// Reads one string: resolves escapes, refuses invalid UTF-8, control characters, NUL and lone surrogates.
struct JSONStringScanner {
    private let bytes: [UInt8]
    /// From after the opening quote to after the closing one.
    private(set) var position: Int

    init(bytes: [UInt8], position: Int) {
        self.bytes = bytes
        self.position = position
    }

    mutating func scan() throws(JSONError) -> String {
        let start = position
        // Appended in runs between escapes; most strings have none.
        var text: [UInt8] = []
        var runStart = position
        while true {
            let isASCII: Bool
            (position, isASCII) = plainRun()
            guard position < bytes.count else { throw error(.unexpectedEnd) }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let end = position
                position += 1
                if text.isEmpty {
                    // ASCII needs no validation, and no retain of the array.
                    return isASCII ? ascii(runStart..<end) : try valid(bytes[runStart..<end], start)
                }
                text += bytes[runStart..<end]
                return try valid(text[...], start)
            case UInt8(ascii: "\\"):
                text += bytes[runStart..<position]
                position += 1
                text += try escape()
                runStart = position
            default:
                throw error(.controlCharacter)
            }
        }
    }

    /// Offset of the next quote, backslash or control character.
    private func plainRun() -> (end: Int, isASCII: Bool) {
        let span = bytes.span
        let raw = unsafe span.bytes
        var index = position
        var seen = ByteBlock.zero
        while raw.byteCount - index >= ByteBlock.byteCount {
            let block = ByteBlock(raw, at: index)
            guard block.isNotPlainJSON.isEmpty else { break }
            seen |= block
            index += ByteBlock.byteCount
        }
        var rest: UInt8 = 0
        while index < span.count {
            let byte = span[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
            rest |= byte
            index += 1
        }
        return (index, rest < 0x80 && seen.isASCII)
    }

    private func ascii(_ range: Range<Int>) -> String {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
        }
    }

    private func valid(_ text: ArraySlice<UInt8>, _ start: Int) throws(JSONError) -> String {
        guard let valid = String(validating: text, as: UTF8.self) else {
            throw JSONError(reason: .invalidUTF8, offset: start)
        }
        return valid
    }

    private mutating func escape() throws(JSONError) -> [UInt8] {
        guard position < bytes.count else { throw error(.unexpectedEnd) }
        let character = bytes[position]
        position += 1
        switch character {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [character]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(Character(try scalar())).utf8)
        default: throw JSONError(reason: .badEscape, offset: position - 1)
        }
    }

    private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
        let start = position - 2
        let unit = try codeUnit()
        guard unit != 0 else { throw JSONError(reason: .nul, offset: start) }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        let lone = JSONError(reason: .loneSurrogate, offset: start)
        guard UTF16.isLeadSurrogate(unit) else { throw lone }
        for expected in #"\u"#.utf8 {
            guard position < bytes.count else { throw error(.unexpectedEnd) }
            guard bytes[position] == expected else { throw lone }
            position += 1
        }
        let trail = try codeUnit()
        guard UTF16.isTrailSurrogate(trail),
            let scalar = Unicode.Scalar(0x1_0000 + (UInt32(unit & 0x3FF) << 10 | UInt32(trail & 0x3FF)))
        else { throw lone }
        return scalar
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard position < bytes.count else { throw error(.unexpectedEnd) }
            let digit: UInt8
            switch bytes[position] {
            case let byte where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte): digit = byte - 0x30
            case let byte where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte): digit = byte - 0x57
            case let byte where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte): digit = byte - 0x37
            default: throw error(.badEscape)
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    private func error(_ reason: JSONError.Reason) -> JSONError { JSONError(reason: reason, offset: position) }
}
