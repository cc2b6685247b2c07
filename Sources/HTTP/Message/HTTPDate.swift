import Networking

/// Time in HTTP's form (RFC 9110 section 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT".
package enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `seconds` since 1970, capped at the end of the year 9999.
    package static func text(_ seconds: UInt64) -> String {
        let seconds = Int(min(seconds, 253_402_300_799))
        let dayNumber = seconds / 86_400
        let (year, month, day) = date(dayNumber)
        let clock = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60].map { two($0) }.joined(separator: ":")
        return "\(days[(dayNumber + 4) % 7]), \(two(day)) \(months[month - 1]) \(year) \(clock) GMT"
    }

    /// In years from March, so that the leap day is last, and eras of 400 years.
    private static func date(_ dayNumber: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = dayNumber + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let year = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return (era * 400 + year + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9, day)
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// `date` field, formatted once a second.
struct HTTPDateField {
    private var seconds: Int?
    private var bytes: [UInt8] = []

    /// `now` is in seconds since 1970.
    mutating func value(_ now: Int) -> [UInt8] {
        if seconds != now {
            seconds = now
            bytes = Array(HTTPDate.text(UInt64(max(0, now))).utf8)
        }
        return bytes
    }
}
