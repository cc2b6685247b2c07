internal import UserNotifications

/// Date and time as the lock screen writes them, in UTC: the same picture on every machine.
struct LockScreenClock {
    let date: String
    let time: String

    /// - Parameters:
    ///   - date: the moment.
    ///   - language: whose order and names the date has; an unknown one is as English.
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
