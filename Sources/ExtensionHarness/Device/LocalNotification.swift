internal import UserNotifications

/// A notification that an extension or app posts itself.
struct LocalNotification: Sendable, Codable, Equatable {
    let identifier: String
    var content: ShownContent
    /// Nil for delivery at once.
    let trigger: LocalTrigger?
    /// Device's date of its addition, then of its delivery.
    var date: Date

    init(_ request: UNNotificationRequest, at date: Date) {
        identifier = request.identifier
        content = ShownContent(request.content)
        trigger = LocalTrigger(request.trigger)
        self.date = date
    }

    /// False for numbers beyond any calendar, which an untrusted process may send.
    var isPlausible: Bool {
        guard abs(date.timeIntervalSince1970) < Self.secondsMax else { return false }
        switch trigger {
        case nil: return true
        case .interval(let interval, _): return interval > 0 && interval < Self.secondsMax
        case .calendar(let components, _):
            let fields = [
                components.era, components.year, components.yearForWeekOfYear, components.quarter, components.month,
                components.weekOfYear, components.weekOfMonth, components.weekday, components.weekdayOrdinal,
                components.day, components.hour, components.minute, components.second,
            ]
            return fields.allSatisfy { ($0 ?? 0).magnitude < 10_000 }
                && (components.nanosecond ?? 0).magnitude <= 1_000_000_000
        }
    }

    private static let secondsMax = 1e11

    /// New object each time.
    var request: UNNotificationRequest {
        UNNotificationRequest(
            identifier: identifier,
            content: content.notificationContent(),
            trigger: trigger?.notificationTrigger
        )
    }

    /// Apple's reason not to add it.
    static func problem(
        _ request: UNNotificationRequest,
        _ settings: UNNotificationSettings.Values,
        at date: Date
    ) -> UNError.Code? {
        if let code = request.problem(settings, at: date) { return code }
        return ShownContent(request.content).attachments.lazy.compactMap { AttachmentStore.problem($0)?.code }.first
    }
}

extension AttachmentProblem {
    fileprivate var code: UNError.Code {
        switch self {
        case .missing: .attachmentInvalidURL
        case .unrecognized: .attachmentUnrecognizedType
        case .tooLarge: .attachmentInvalidFileSize
        case .corrupt: .attachmentCorrupt
        case .notMoved: .attachmentMoveIntoDataStoreFailed
        }
    }
}
