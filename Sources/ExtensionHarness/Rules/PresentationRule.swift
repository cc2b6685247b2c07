internal import UserNotifications

/// iOS's presentation of a content: place, urgency and sound.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationinterruptionlevel and Apple's
///   "Managing notifications" in the Human Interface Guidelines.
enum PresentationRule {
    static func presentation(
        of content: ShownContent,
        _ why: ShownNotification.Why,
        on conditions: Device.Conditions
    ) -> Presentation {
        let level = level(of: content, conditions.entitlements)
        let place = place(of: content, why, level, on: conditions)
        return Presentation(
            place: place,
            level: level,
            sound: sound(of: content, at: place, on: conditions),
            setsBadge: setsBadge(at: place, on: conditions)
        )
    }

    /// Lowers a level without its entitlement to an ordinary alert.
    private static func level(
        of content: ShownContent,
        _ entitlements: Device.Entitlements
    ) -> ShownContent.InterruptionLevel {
        switch content.interruptionLevel {
        case .timeSensitive where !entitlements.contains(.timeSensitive): .active
        case .critical where !entitlements.contains(.criticalAlerts): .active
        case let level: level
        }
    }

    private static func place(
        of content: ShownContent,
        _ why: ShownNotification.Why,
        _ level: ShownContent.InterruptionLevel,
        on conditions: Device.Conditions
    ) -> Presentation.Place {
        if conditions.alerts == .off { return .nowhere(.alertsOff) }
        if why == .suppressed { return .nowhere(.suppressed) }
        if !content.hasAlertText { return .nowhere(.noAlertText) }
        if case .inForeground(let options) = conditions.app {
            return .inApp(banner: options.contains(.banner), list: options.contains(.list))
        }
        if conditions.alerts == .provisional { return .list(.provisional) }
        if level == .passive { return .list(.passive) }
        return place(level, during: conditions.focus)
    }

    private static func place(
        _ level: ShownContent.InterruptionLevel,
        during focus: Device.Focus
    ) -> Presentation.Place {
        guard case .on(let allowsApp, let allowsTimeSensitive) = focus else { return .banner(.noFocus) }
        if level == .critical { return .banner(.critical) }
        if allowsApp { return .banner(.allowedApp) }
        return level == .timeSensitive && allowsTimeSensitive ? .banner(.timeSensitive) : .list(.focus)
    }

    private static func sound(
        of content: ShownContent,
        at place: Presentation.Place,
        on conditions: Device.Conditions
    ) -> Presentation.Sound {
        guard var sound = content.sound else { return .none }
        if !conditions.entitlements.contains(.criticalAlerts) {
            sound.isCritical = false
            sound.volume = nil
        }
        switch place {
        case .nowhere(.alertsOff), .nowhere(.suppressed), .list: return .silenced(.notInterrupting)
        case .inApp:
            guard case .inForeground(let options) = conditions.app, options.contains(.sound) else {
                return .silenced(.app)
            }
        // A push may be a sound only.
        case .banner, .nowhere(.noAlertText): break
        }
        return conditions.isMuted && !sound.isCritical ? .silenced(.muted) : .plays(sound)
    }

    private static func setsBadge(at place: Presentation.Place, on conditions: Device.Conditions) -> Bool {
        switch place {
        case .nowhere(.alertsOff): return false
        case .inApp:
            guard case .inForeground(let options) = conditions.app else { return false }
            return options.contains(.badge)
        case .banner, .list, .nowhere(.noAlertText), .nowhere(.suppressed): return true
        }
    }
}
