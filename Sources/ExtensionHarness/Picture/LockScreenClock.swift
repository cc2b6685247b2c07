internal import UserNotifications

/// Date and time in the lock screen's format, in UTC, so the same on every machine.
struct LockScreenClock {
    let date: String
    let time: String

    /// - Parameter language: Of the date; unknown ones are formatted as English.
    init(_ date: Date, language: String) {
        let formatter = DateFormatter()
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.locale = Locale(identifier: language)
        formatter.setLocalizedDateFormatFromTemplate("EEEEdMMMM")
        self.date = formatter.string(from: date)
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "HH:mm"
        time = formatter.string(from: date)
    }
}
