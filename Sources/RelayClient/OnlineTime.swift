public import Envelope

/// Server's time, for `AppDevice.confirmTime`. Any HTTPS server but the relay will do.
///
///     try await device.confirmTime { try await OnlineTime.ask("https://chat.example.com/") }
public enum OnlineTime {
    /// Sends a HEAD request, past every cache.
    ///
    /// - Parameter url: `https`, 200 bytes at most.
    /// - Returns: answer's `Date`, whatever its status, in whole seconds.
    /// - Throws: `RelayClientError`: `.certificateHasBadDate` means that the device's clock is far off; `.wrongAnswer`
    ///   an answer without a date, or from a cache.
    /// - Source: RFC 9110 section 6.6.1 (`Date`); RFC 9111 section 5.1 (`Age`).
    public static func ask(_ url: String) async throws(RelayClientError) -> Timestamp {
        guard let address = AttachmentURL(url) else { throw .url }
        let answer = try await RelayExchange.run(RelayRequest(.head), to: url, host: address.host, port: address.port)
        guard !answer.isFromCache, let time = answer.date.flatMap(time(httpDate:)) else { throw .wrongAnswer }
        return time
    }

    /// 1970 began on a Thursday.
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses "Sun, 06 Nov 1994 08:49:37 GMT" only (RFC 9110 section 5.6.7, IMF-fixdate).
    static func time(httpDate text: String) -> Timestamp? {
        let words = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard text.utf8.count == 29, words.count == 6, words[0].count == 4, words[0].last == UInt8(ascii: ","),
            String(words[5]) == "GMT", let day = number(words[1], in: 1...31, digits: 2),
            let month = months.firstIndex(of: String(decoding: words[2], as: UTF8.self)),
            let year = number(words[3], in: 1970...9999, digits: 4)
        else { return nil }
        let clock = words[4].split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = number(clock[0], in: 0...23, digits: 2),
            let minute = number(clock[1], in: 0...59, digits: 2), let second = number(clock[2], in: 0...60, digits: 2)
        else { return nil }
        let days = days(year, month + 1, day)
        // A leap second is the last of its day.
        guard second < 60 || (hour, minute) == (23, 59), day <= monthLength(year, month + 1),
            String(decoding: words[0].dropLast(), as: UTF8.self) == weekdays[days % 7]
        else { return nil }
        let seconds = (days * 24 + hour) * 3_600 + minute * 60 + second
        return Timestamp(milliseconds: UInt64(seconds) * 1_000)
    }

    private static func number(_ text: Substring.UTF8View, in range: ClosedRange<Int>, digits: Int) -> Int? {
        guard text.count == digits, text.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(String(decoding: text, as: UTF8.self)), range.contains(number)
        else { return nil }
        return number
    }

    private static func monthLength(_ year: Int, _ month: Int) -> Int {
        let next = month < 12 ? (year, month + 1) : (year + 1, 1)
        return days(next.0, next.1, 1) - days(year, month, 1)
    }

    /// Days from 1970-01-01 in the Gregorian calendar, with years that begin in March.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        return year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1 - 719_468
    }
}
