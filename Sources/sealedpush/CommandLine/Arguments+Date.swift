import CommandLineTool
import Foundation

extension Arguments {
    /// Date such as "2026-11-21T10:00Z" or "2026-11-21T10:00:30+01:00".
    func date(_ name: String) throws(CommandError) -> Date? {
        guard let text = value(name) else { return nil }
        // Foundation requires seconds.
        guard let parts = text.wholeMatch(of: /(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?(Z|[+-]\d\d:\d\d)/),
            let date = ISO8601DateFormatter().date(from: "\(parts.1)\(parts.2 ?? ":00")\(parts.3)"),
            date.timeIntervalSince1970 >= 0
        else { throw wrong("\(name) must be a date and a time with its zone, such as 2026-11-21T10:00Z") }
        return date
    }
}
