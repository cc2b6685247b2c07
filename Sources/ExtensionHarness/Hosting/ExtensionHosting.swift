internal import UserNotifications

/// Runs an extension over one push: in this process, or in one of its own.
protocol ExtensionHosting: Sendable {
    /// Runs the extension, from its creation to its end.
    ///
    /// A caller that is cancelled stands for a device in a hurry: the extension is told at once that its time is over.
    ///
    /// - Parameters:
    ///   - request: The push, and the device that it arrives on.
    ///   - show: Brings what came of it to the screen, before any more time passes on the device.
    /// - Returns: What `show` returns.
    func run(
        _ request: ExtensionRequest,
        show: @Sendable (ExtensionOutcome) -> ShownNotification
    ) async -> ShownNotification

    /// How often extensions called their content handler when their run was over.
    var lateHandlerCallCount: Int { get }

    /// How often processes held a lock when they were suspended after all their pushes were over.
    var lateLockCount: Int { get }
}

/// One push for an extension, and the device it arrives on.
struct ExtensionRequest: Sendable {
    let push: SimulatedPush
    /// Already in the person's language: iOS looks localized keys up before it runs the extension.
    let alertText: AlertText
    let conditions: Device.Conditions
    /// The screen that it may take notifications from.
    let center: any NotificationSystem

    /// When the system calls and when it ends the extension.
    var timetable: Timetable { Timetable(limits: conditions.limits, expiry: conditions.expiry) }
}

/// What an extension did with a push. Not yet what is shown: the system's rules come after it.
struct ExtensionOutcome: Sendable, Equatable {
    /// The first content that the extension handed over, nil where there was none in time.
    var answer: ShownContent?
    /// Whether it came after the extension was told that its time is over.
    var isAnsweredAfterExpiry = false
    var handlerCallCount = 0
    var ending = Ending.returned
    var time = TimeUsed.none
    var memory = MemoryEnforcement.none
    /// The most memory that its process took until the push was done, nil where it had no process of its own.
    var peakMemoryByteCount: Int?
}
