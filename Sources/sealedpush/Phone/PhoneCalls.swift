import ExtensionHarness
import IncomingCalls
import NotificationCore
import NotificationServiceExtension

/// iOS wakes the app for each call, without the service extension, and ends it unless it reports one.
struct PhoneCalls {
    private let phone: VoIPPhone

    init(_ container: borrowing AppContainer, lock: Device.Lock) {
        let opener = CallOpener(
            containerPath: container.groupPath,
            appName: PrincipalClass.display.texts.title,
            keepsReceipts: true
        )
        var conditions = Device.Conditions()
        conditions.timekeeping = .real
        conditions.lock = lock
        // Calls are not answered here.
        phone = VoIPPhone(conditions) { CallApp(opener: opener) { _, _ in } }
    }

    /// - Throws: `SimulatedPushError` for bytes that are no payload.
    func deliver(_ payload: [UInt8]) async throws(SimulatedPushError) -> VoIPDelivery {
        try await phone.deliver(payload)
    }
}
