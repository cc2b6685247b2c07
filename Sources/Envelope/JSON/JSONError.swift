/// JSON error and its place.
package struct JSONError: Error, Equatable {
    package enum Reason: Equatable, Sendable {
        case tooLong(byteCountMax: Int)
        case tooDeep(depthMax: Int)
        case unexpectedEnd
        case expectedValue
        case expectedNameOrEnd
        /// After a comma, which no end may follow.
        case expectedName
        case expectedObject
        case expectedColon
        case expectedCommaOrEnd
        case duplicateName
        case trailingBytes
        case controlCharacter
        case badEscape
        case loneSurrogate
        case nul
        case invalidUTF8
        case badNumber
        case notAnInteger
        case numberOutOfRange
        case byteOrderMark
    }

    package let reason: Reason
    package let offset: Int

    /// From 1; columns count Unicode scalars.
    package static func position(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        for byte in bytes.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return (line, column)
    }
}

extension JSONError.Reason: CustomStringConvertible {
    /// One clause, without content.
    package var description: String {
        switch self {
        case .tooLong(let byteCountMax): "longer than \(byteCountMax) bytes"
        case .tooDeep(let depthMax): "nested deeper than \(depthMax)"
        case .unexpectedEnd: "the text ends before its value is complete"
        case .expectedValue: "expected a value"
        case .expectedNameOrEnd: "expected a name in double quotes or '}'"
        case .expectedName: "expected a name in double quotes after the comma"
        case .expectedObject: "expected an object in braces"
        case .expectedColon: "expected ':' after the name"
        case .expectedCommaOrEnd: "expected ',' or the closing bracket"
        case .duplicateName: "this name appears twice in one object"
        case .trailingBytes: "something follows the end of the value"
        case .controlCharacter: "a control character inside a string must be escaped"
        case .badEscape: "unknown escape after '\\'"
        case .loneSurrogate: "half of a surrogate pair"
        case .nul: "NUL is not allowed in a string"
        case .invalidUTF8: "not valid UTF-8"
        case .badNumber: "not a JSON number"
        case .notAnInteger: "only integers are allowed here"
        case .numberOutOfRange: "number out of range"
        case .byteOrderMark: "the text must not begin with a byte order mark, and must be UTF-8"
        }
    }
}
