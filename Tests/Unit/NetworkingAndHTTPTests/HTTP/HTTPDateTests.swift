import Testing

@testable import HTTP

@Suite struct HTTPDateTests {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (UInt64.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
    func `a time is written as HTTP writes it`(_ seconds: UInt64, _ text: String) {
        #expect(HTTPDate.text(seconds) == text)
    }

    @Test func `an answer's date is that of its second`() {
        var date = HTTPDateField()
        let first = date.value(784_111_777)
        #expect(date.value(784_111_777) == first && first == Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8))
        #expect(date.value(784_111_778) == Array("Sun, 06 Nov 1994 08:49:38 GMT".utf8))
        // A clock that was set back.
        #expect(date.value(-1) == Array("Thu, 01 Jan 1970 00:00:00 GMT".utf8))
    }
}
