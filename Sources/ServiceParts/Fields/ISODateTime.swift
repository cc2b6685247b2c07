/// - Source: RFC 3339 section 5.6; also reads ISO 8601's offsets without a colon.
package enum ISODateTime {
    /// Seconds since 1970 of `2031-05-04T12:00:00.250+02:00`, without the fraction. A leap second counts as the next.
    package static func unixSeconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard (20...40).contains(bytes.count), matches(bytes, "0000-00-00T00:00:00") else { return nil }
        let numbers = [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19].map { number(bytes[$0]) }
        let (year, month, day) = (numbers[0], numbers[1], numbers[2])
        let (hour, minute, second) = (numbers[3], numbers[4], numbers[5])
        guard (1...12).contains(month), (1...dayCount(year, month)).contains(day), hour <= 23, minute <= 59,
            second <= 60, let offset = offset(bytes[19...])
        else { return nil }
        let ofDay = hour * 3_600 + minute * 60 + second
        return (days(year, month, day) * 86_400) + ofDay - offset
    }

    /// Optional fraction, then `Z`, `+hh:mm` or `+hhmm`.
    private static func offset(_ rest: ArraySlice<UInt8>) -> Int64? {
        var rest = rest
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix { isDigit($0) }
            guard (1...9).contains(fraction.count) else { return nil }
            rest = rest.dropFirst(fraction.count + 1)
        }
        if rest.elementsEqual("Z".utf8) { return 0 }
        let digits = rest.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            matches(Array(rest.dropFirst()), "00:00") || matches(Array(rest.dropFirst()), "0000"),
            rest.count <= 6, digits.count == 4
        else { return nil }
        let hours = number(digits[..<2])
        let minutes = number(digits[2...])
        guard hours <= 23, minutes <= 59 else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    /// `0` in the pattern is any digit.
    private static func matches(_ bytes: [UInt8], _ pattern: String) -> Bool {
        let pattern = Array(pattern.utf8)
        guard bytes.count >= pattern.count else { return false }
        return zip(bytes, pattern).allSatisfy { $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func number(_ digits: some Sequence<UInt8>) -> Int64 {
        digits.reduce(0) { $0 * 10 + Int64($1 & 0x0F) }
    }

    private static func dayCount(_ year: Int64, _ month: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Days since 1970-01-01, Gregorian; years begin in March, so that the leap day is last.
    static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// `2031-05-04T10:00:00.250Z`
    package static func text(milliseconds: Int64) -> String {
        var text: [UInt8] = []
        append(milliseconds: milliseconds, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends 24 bytes without a String: every line of the log has them.
    package static func append(milliseconds: Int64, to text: inout [UInt8]) {
        let clamped = min(max(milliseconds, 0), 253_402_300_799_999)
        let (seconds, rest) = clamped.quotientAndRemainder(dividingBy: 1_000)
        let (dayCount, ofDay) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let shifted = dayCount + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        var characters = InlineArray<24, UInt8>(repeating: 0)
        var end = 0
        func digits(_ number: Int64, _ count: Int, _ mark: Unicode.Scalar) {
            var rest = number
            for place in stride(from: end + count - 1, through: end, by: -1) {
                characters[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            characters[end + count] = UInt8(ascii: mark)
            end += count + 1
        }
        digits(year, 4, "-")
        digits(month, 2, "-")
        digits(day, 2, "T")
        digits(ofDay / 3_600, 2, ":")
        digits(ofDay / 60 % 60, 2, ":")
        digits(ofDay % 60, 2, ".")
        digits(rest, 3, "Z")
        unsafe characters.span.withUnsafeBufferPointer { unsafe text.append(contentsOf: $0) }
    }
}
