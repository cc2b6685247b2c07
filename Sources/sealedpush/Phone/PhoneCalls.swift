import ExtensionHarness
import IncomingCalls
import NotificationCore
import NotificationServiceExtension

/// Calls on a simulated phone: iOS wakes the app for each, and ends it unless it reports one. The service extension never
/// runs for them.
struct PhoneCalls {
    private let phone: VoIPPhone

    /// - Parameters:
    ///   - container: the phone's.
    ///   - lock: whether it was unlocked since its start.
    init(_ container: borrowing AppContainer, lock: Device.Lock) {
        let opener = CallOpener(
            containerPath: container.groupPath,
            appName: PrincipalClass.display.texts.title,
            keepsReceipts: true
        )
        var conditions = Device.Conditions()
        conditions.timekeeping = .real
        conditions.lock = lock
        // Nobody answers here: what the caller handed over stays with the app.
        phone = VoIPPhone(conditions) { CallApp(opener: opener) { _, _ in } }
    }

    /// - Throws: `SimulatedPushError` for bytes that are no payload.
    func deliver(_ payload: [UInt8]) async throws(SimulatedPushError) -> VoIPDelivery {
        try await phone.deliver(payload)
    }
}
