// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Trigger at a date.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/uncalendarnotificationtrigger
open class UNCalendarNotificationTrigger: UNNotificationTrigger {
    let trigger: LocalTrigger

    public convenience init(dateMatching dateComponents: DateComponents, repeats: Bool) {
        self.init(.calendar(dateComponents, repeats: repeats))
    }

    init(_ trigger: LocalTrigger) {
        self.trigger = trigger
        super.init(repeats: trigger.repeats)
    }

    open var dateComponents: DateComponents {
        if case .calendar(let components, _) = trigger { components } else { DateComponents() }
    }

    open func nextTriggerDate() -> Date? { trigger.next(after: LocalTrigger.now) }
}
