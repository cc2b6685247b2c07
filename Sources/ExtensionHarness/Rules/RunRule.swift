/// iOS's decision to run an extension at all.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/unnotificationserviceextension: "configured to
///   display an alert" and `mutable-content` 1. Not for silent pushes, sounds and badges alone.
enum RunRule {
    /// - Returns: Nil if the extension runs.
    static func notRunReason(
        _ push: SimulatedPush,
        showing original: ShownContent,
        on conditions: Device.Conditions
    ) -> ShownNotification.NotRunReason? {
        if conditions.alerts == .off { return .alertsOff }
        if !original.hasAlertText { return .noVisibleAlert }
        if !push.isMutable { return .notMutable }
        return conditions.startsExtensions ? nil : .notStarted
    }
}
