internal import Platform

/// Trigger of a local notification, as a value.
package enum LocalTrigger: Sendable, Hashable, Codable {
    case interval(TimeInterval, repeats: Bool)
    case calendar(DateComponents, repeats: Bool)

    /// - Returns: Nil for a delivery at once, or a push.
    package init?(_ trigger: UNNotificationTrigger?) {
        switch trigger {
        case let trigger as UNTimeIntervalNotificationTrigger: self = trigger.trigger
        case let trigger as UNCalendarNotificationTrigger: self = trigger.trigger
        default: return nil
        }
    }

    package var notificationTrigger: UNNotificationTrigger {
        switch self {
        case .interval: UNTimeIntervalNotificationTrigger(self)
        case .calendar: UNCalendarNotificationTrigger(self)
        }
    }

    package var repeats: Bool {
        switch self {
        case .interval(_, let repeats), .calendar(_, let repeats): repeats
        }
    }

    /// - Returns: Nil for a date that never comes.
    package func next(after date: Date) -> Date? {
        switch self {
        case .interval(let interval, _): date.addingTimeInterval(interval)
        case .calendar(let components, _):
            (components.calendar ?? .current).nextDate(after: date, matching: components, matchingPolicy: .nextTime)
        }
    }

    /// Date of the device, else of the machine.
    package static var now: Date {
        guard let device = SimulatedDevice.current else { return Date() }
        return Date(timeIntervalSince1970: Double(device.millisecondsSince1970) / 1_000)
    }
}
