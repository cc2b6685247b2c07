import Envelope
import ServiceParts

/// Query `day=2031-05-04`, or none.
struct DayQuery {
    private static let secondsPerDay: Int64 = 86_400

    /// Days since 1970.
    let day: Int64?
    private let word: String

    /// - Throws: `.badRequest`.
    init(_ query: String?) throws(Problem) {
        guard let query, !query.isEmpty else {
            (day, word) = (nil, "")
            return
        }
        let text = query.hasPrefix("day=") ? query.dropFirst(4) : ""
        guard text.utf8.count == 10, let seconds = ISODateTime.unixSeconds("\(text)T00:00:00Z") else {
            throw Problem(.badRequest, "Use only 'day', once, as a date such as 2031-05-04.")
        }
        (day, word) = (seconds / Self.secondsPerDay, String(text))
    }

    /// The asked day as it was written.
    func text(_ day: Int64) -> String { day == self.day ? word : Self.text(day) }

    static func text(_ day: Int64) -> String {
        String(ISODateTime.text(milliseconds: day * secondsPerDay * 1_000).prefix { $0 != "T" })
    }
}
