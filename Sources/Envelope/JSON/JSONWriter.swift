/// Writes JSON without white space, and only the escapes that RFC 8259 demands.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    package init(reserving byteCount: Int) { bytes.reserveCapacity(byteCount) }

    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        open("{")
        members(&self)
        close("}")
    }

    package mutating func array(_ elements: (inout JSONWriter) -> Void) {
        open("[")
        elements(&self)
        close("]")
    }

    /// Writes a member's name; its value must follow.
    package mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func member(_ name: String, _ text: String) {
        self.name(name)
        string(text)
    }

    package mutating func member(_ name: String, _ number: some FixedWidthInteger) {
        self.name(name)
        integer(number)
    }

    package mutating func member(_ name: String, _ flag: Bool) {
        self.name(name)
        raw(Array((flag ? "true" : "false").utf8))
    }

    package mutating func integer(_ number: some FixedWidthInteger) { raw(Array(String(number).utf8)) }

    package mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        // Most texts need no escape.
        if !hasPlainEnd(from: start) {
            bytes.removeSubrange(start...)
            escape(text)
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Appends the text through `write`, without an intermediate copy.
    package mutating func member(_ name: String, writing write: (inout [UInt8]) -> Void) {
        self.name(name)
        let start = bytes.count
        bytes.append(UInt8(ascii: "\""))
        write(&bytes)
        if hasPlainEnd(from: start + 1, onlyASCII: true) {
            bytes.append(UInt8(ascii: "\""))
            needsComma = true
        } else {
            let text = String(decoding: bytes[(start + 1)...], as: UTF8.self)
            bytes.removeSubrange(start...)
            string(text)
        }
    }

    private func hasPlainEnd(from start: Int, onlyASCII: Bool = false) -> Bool {
        let span = bytes.span
        let raw = unsafe span.bytes
        var index = start
        var seen = ByteBlock.zero
        while raw.byteCount - index >= ByteBlock.byteCount {
            let block = ByteBlock(raw, at: index)
            guard block.isNotPlainJSON.isEmpty else { return false }
            seen |= block
            index += ByteBlock.byteCount
        }
        var rest: UInt8 = 0
        while index < span.count {
            let byte = span[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return false }
            rest |= byte
            index += 1
        }
        return !onlyASCII || rest < 0x80 && seen.isASCII
    }

    private mutating func escape(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "\"")]
            case UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "\\")]
            case UInt8(ascii: "\n"): bytes += Array("\\n".utf8)
            case 0..<0x20:
                bytes += Array("\\u00".utf8) + [Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 0xF)]]
            default: bytes.append(byte)
            }
        }
    }

    /// Appends a complete JSON value.
    package mutating func raw(_ value: [UInt8]) {
        separate()
        bytes += value
        needsComma = true
    }

    private mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = false
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
