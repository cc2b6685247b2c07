import Testing

@testable import Envelope

struct JSONPositionTests {
    @Test(arguments: [
        (0, 1, 1), (1, 1, 2), (2, 1, 3), (3, 2, 1), (4, 2, 2), (6, 2, 3), (10, 2, 4), (11, 3, 1), (12, 4, 1),
        (13, 4, 2),
        (99, 4, 2),
    ])
    func `lines and columns count from one, columns by scalar and not by byte`(
        _ offset: Int,
        _ line: Int,
        _ column: Int
    ) {
        let bytes = Array("ab\nxé😀\n\nz".utf8)
        #expect(JSONError.position(of: offset, in: bytes) == (line, column))
    }

    @Test func `a line that ends in CR LF counts once`() {
        #expect(JSONError.position(of: 4, in: Array("a\r\n\r\nb".utf8)) == (2, 2))
        #expect(JSONError.position(of: 5, in: Array("a\r\n\r\nb".utf8)) == (3, 1))
    }

    @Test func `an empty text has a first column`() {
        #expect(JSONError.position(of: 0, in: []) == (1, 1))
    }

    @Test func `every reason is a clause of its own`() {
        let reasons: [JSONError.Reason] = [
            .tooLong(byteCountMax: 1), .tooDeep(depthMax: 1), .unexpectedEnd, .expectedValue, .expectedNameOrEnd,
            .expectedName, .expectedObject, .expectedColon, .expectedCommaOrEnd, .duplicateName, .trailingBytes,
            .controlCharacter, .badEscape, .loneSurrogate, .nul, .invalidUTF8, .badNumber, .notAnInteger,
            .numberOutOfRange, .byteOrderMark,
        ]
        #expect(Set(reasons.map(\.description)).count == reasons.count)
        #expect(reasons.allSatisfy { !$0.description.isEmpty && !$0.description.hasSuffix(".") })
    }
}
