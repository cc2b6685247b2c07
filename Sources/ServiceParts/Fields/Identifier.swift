/// Identifiers that callers choose and that stand in paths: 1 to 64 of `A-Z a-z 0-9 - _`, no period, slash or percent sign.
package enum Identifier {
    package static let byteCountMax = 64

    package static func isValid(_ text: String) -> Bool {
        let bytes = text.utf8.span
        guard (1...byteCountMax).contains(bytes.count) else { return false }
        for index in bytes.indices where !isCharacter(bytes[index]) { return false }
        return true
    }

    package static func isCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
