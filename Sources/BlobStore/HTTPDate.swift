internal import Platform

/// A time as HTTP writes it (RFC 9110 section 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT".
enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `seconds` are since 1970; what is beyond the year 9999 is written as its end.
    static func text(_ seconds: UInt64) -> String {
        var time = time_t(min(seconds, 253_402_300_799))
        var parts = unsafe tm()
        _ = unsafe gmtime_r(&time, &parts)
        let (day, month, year) = unsafe (Int(parts.tm_wday), Int(parts.tm_mon), Int(parts.tm_year) + 1900)
        let clock = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map { two($0) }.joined(separator: ":")
        return "\(days[day]), \(two(unsafe parts.tm_mday)) \(months[month]) \(year) \(clock) GMT"
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
