import Envelope
import Foundation
import TestSupport
import Testing

@testable import RelayClient

/// Dates of HTTP (RFC 9110, section 5.6.7), each part wrong in turn.
struct HTTPDateTests {
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800_000),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199_000),
            ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400_000),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799_000),
        ] as [(String, UInt64)]
    )
    func `a date is the time that it says`(_ text: String, _ milliseconds: UInt64) {
        #expect(OnlineTime.time(httpDate: text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        // The day of the week.
        "Mon, 06 Nov 1994 08:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT", "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun. 06 Nov 1994 08:49:37 GMT", "Sunday, 06 Nov 94 08:49:37 GMT",
        // The day.
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT", "Thu, 31 Nov 1994 08:49:37 GMT",
        "Wed, 29 Feb 2023 08:49:37 GMT", "Mon, 29 Feb 2100 08:49:37 GMT", "Fri, 30 Feb 2024 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06  Nov 1994 8:49:37 GMT",
        // Month and year.
        "Sun, 06 NOV 1994 08:49:37 GMT", "Sun, 06 Nov. 994 08:49:37 GMT", "Sun, 06 Xyz 1994 08:49:37 GMT",
        "Sun, 06 Nov 0094 08:49:37 GMT", "Sat, 06 Nov 1969 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
        "Sun, 06 Nov 19940 8:49:37 GMT",
        // The time.
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 08:49:60 GMT", "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 0849:37: GMT",
        "Sun, 06 Nov 1994 8:49:037 GMT", "Sun, 06 Nov 1994 08:49:-7 GMT", "Sun, 06 Nov 1994 08:49:3٧ GMT",
        // The zone.
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 gmt", "Sun, 06 Nov 1994 08:49:37 +00",
        // Something before, behind or between.
        "", " ", "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37\tGMT",
        "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
    ])
    func `a date of another form, or that is on no calendar, is none`(_ text: String) {
        #expect(OnlineTime.time(httpDate: text) == nil)
    }

    @Test func `a date that is cut anywhere, or has one character for another, is none or another one`() throws {
        let text = "Sun, 06 Nov 1994 08:49:37 GMT"
        let time = try #require(OnlineTime.time(httpDate: text))
        for count in 0..<text.utf8.count { #expect(OnlineTime.time(httpDate: String(text.prefix(count))) == nil) }
        for index in text.indices {
            for byte: UInt8 in 0x20...0x7E {
                let character = String(UnicodeScalar(byte))
                guard character != String(text[index]) else { continue }
                let changed = text.replacingCharacters(in: index...index, with: character)
                #expect(OnlineTime.time(httpDate: changed) != time, "\(changed)")
            }
        }
    }

    @Test func `any second is read as Foundation writes it`() {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        for _ in 0..<1_000 {
            let seconds = UInt64.random(in: 0...253_402_300_799, using: &random)
            let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
            #expect(OnlineTime.time(httpDate: text)?.milliseconds == seconds * 1_000, "\(text), seed \(seed)")
        }
    }
}
