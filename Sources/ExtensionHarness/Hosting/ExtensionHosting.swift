internal import UserNotifications

/// Runs an extension over one push, in this process or in its own.
protocol ExtensionHosting: Sendable {
    /// Runs the extension, from its creation to its end. Cancelling the caller calls the extension's expiry at once.
    ///
    /// - Parameters:
    ///   - request: The push, and the device that it arrives on.
    ///   - show: Brings the outcome to the screen, before any more time passes on the device.
    /// - Returns: The result of `show`.
    func run(
        _ request: ExtensionRequest,
        show: @Sendable (ExtensionOutcome) -> ShownNotification
    ) async -> ShownNotification

    /// Number of content handler calls after their run was over.
    var lateHandlerCallCount: Int { get }

    /// Number of times a process held a lock when it was suspended after all its pushes were over.
    var lateLockCount: Int { get }
}

/// One push for an extension, and the device that it arrives on.
struct ExtensionRequest: Sendable {
    let push: SimulatedPush
    /// Translated already: iOS looks localized keys up before it runs the extension.
    let alertText: AlertText
    let conditions: Device.Conditions
    /// The screen that the extension may remove notifications from.
    let center: any NotificationSystem

    /// Times of the system's expiry calls and of the extension's end.
    var timetable: Timetable { Timetable(limits: conditions.limits, expiry: conditions.expiry) }
}

/// Result of an extension's run, before the system's rules decide what is shown.
struct ExtensionOutcome: Sendable, Equatable {
    /// The extension's first answer, nil without one in time.
    var answer: ShownContent?
    /// True if the answer came after the expiry call.
    var isAnsweredAfterExpiry = false
    var handlerCallCount = 0
    var ending = Ending.returned
    var time = TimeUsed.none
    var memory = MemoryEnforcement.none
    /// Peak memory of the extension's own process until the push was done; nil without such a process.
    var peakMemoryByteCount: Int?
}
