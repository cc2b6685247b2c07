import Testing

@testable import Envelope

struct JSONNumberTests {
    private let lenient = JSONParser.Limits(byteCountMax: 4096, depthMax: 8, allowsFractions: true)

    @Test(arguments: [
        ("0", 0), ("-1", -1), ("10", 10), ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
    ])
    func `accepts an integer of 64 bits`(_ text: String, _ number: Int64) {
        #expect(accepted(text) == .integer(number))
        #expect(accepted(text, limits: lenient) == .integer(number))
    }

    @Test(arguments: [
        "9223372036854775808", "-9223372036854775809", "18446744073709551616",
        "1" + String(repeating: "0", count: 4_000),
    ])
    func `refuses an integer beyond 64 bits instead of rounding it`(_ text: String) {
        #expect(refused(text) == JSONError(reason: .numberOutOfRange, offset: 0))
        #expect(refused(text, limits: lenient) == JSONError(reason: .numberOutOfRange, offset: 0))
    }

    @Test(arguments: ["1.0", "1e2", "1E2", "1e+2", "1e-2", "0.5", "-0.0", "1e400", "-1.5e300", "0e0", "-0"])
    func `refuses a fraction where integers are asked for, and keeps its spelling where not`(_ text: String) {
        #expect(refused("[\(text)]") == JSONError(reason: .notAnInteger, offset: 1))
        #expect(accepted(text, limits: lenient) == .fraction(text))
    }

    @Test(arguments: [
        "01", "00", "-01", "007", "-00", "0123.5", "-a", "--1", "-Infinity", "-.5", "1.a", "1.e5", "1ea", "1e+a",
        "1e--2",
    ])
    func `refuses a spelling that is no JSON number`(_ text: String) {
        #expect(refused("[\(text)]")?.reason == .badNumber)
        #expect(refused("[\(text)]", limits: lenient)?.reason == .badNumber)
    }

    @Test(arguments: ["+1", ".5", "NaN", "Infinity", "١", "½"])
    func `refuses what does not begin as a number does`(_ text: String) {
        #expect(refused(text, limits: lenient) == JSONError(reason: .expectedValue, offset: 0))
    }

    @Test(arguments: ["0x10", "1_000", "1f", "1.5.5", "0b1", "1١"])
    func `refuses what goes on behind a number`(_ text: String) {
        #expect(refused(text, limits: lenient)?.reason == .trailingBytes)
    }

    @Test(arguments: ["-", "1.", "1e", "1e+", "1e-", "-1.5E"])
    func `a number that breaks off is an end, not another number`(_ text: String) {
        #expect(refused(text, limits: lenient) == JSONError(reason: .unexpectedEnd, offset: text.utf8.count))
    }
}
