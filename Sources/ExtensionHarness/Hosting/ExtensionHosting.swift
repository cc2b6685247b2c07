internal import UserNotifications

protocol ExtensionHosting: Sendable {
    /// Runs the extension from creation to end. Cancelling the caller ends its time at once.
    ///
    /// - Parameter show: shows the outcome before more time passes on the device.
    func run(
        _ request: ExtensionRequest,
        show: @Sendable (ExtensionOutcome) -> ShownNotification
    ) async -> ShownNotification

    /// Content handler calls after their run.
    var lateHandlerCallCount: Int { get }

    /// Suspensions with a held lock after all pushes of the process.
    var lateLockCount: Int { get }
}

/// One push for an extension, and the device that it arrives on.
struct ExtensionRequest: Sendable {
    let push: SimulatedPush
    /// Translated: iOS looks localized keys up before it runs the extension.
    let alertText: AlertText
    let conditions: Device.Conditions
    /// Screen that the extension may remove notifications from.
    let center: any NotificationSystem
    /// Device's.
    let clock: SimulatedClock

    var timetable: Timetable { Timetable(limits: conditions.limits, expiry: conditions.expiry) }
}

/// Result of an extension's run, before the system's rules.
struct ExtensionOutcome: Sendable, Equatable {
    /// Extension's first answer, nil without one in time.
    var answer: ShownContent?
    /// True if the answer came after the expiry call.
    var isAnsweredAfterExpiry = false
    var handlerCallCount = 0
    var ending = Ending.returned
    var time = TimeUsed.none
    var memory = MemoryEnforcement.none
    /// Peak memory of the extension's own process until the push was done; nil without one.
    var peakMemoryByteCount: Int?
}
