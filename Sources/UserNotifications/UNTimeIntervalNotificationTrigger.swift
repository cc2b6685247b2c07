// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Trigger after some time.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/untimeintervalnotificationtrigger
open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger {
    let trigger: LocalTrigger

    public convenience init(timeInterval: TimeInterval, repeats: Bool) {
        precondition(timeInterval > 0, "a trigger's time interval must be greater than 0")
        precondition(!repeats || timeInterval >= 60, "a repeating trigger's time interval must be at least 60")
        self.init(.interval(timeInterval, repeats: repeats))
    }

    init(_ trigger: LocalTrigger) {
        self.trigger = trigger
        super.init(repeats: trigger.repeats)
    }

    open var timeInterval: TimeInterval {
        if case .interval(let interval, _) = trigger { interval } else { 0 }
    }

    open func nextTriggerDate() -> Date? { trigger.next(after: LocalTrigger.now) }
}
