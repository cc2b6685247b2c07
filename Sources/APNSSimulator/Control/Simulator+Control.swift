package import APNS
import Transport

extension Simulator {
    /// Creates an offline device, which stores the pushes of a provider under test.
    ///
    /// - Returns: its token; nil if there are too many devices.
    package func enrolDevice(bundleID: Topic) async -> DeviceToken? {
        let core = core
        return await core.loop.run { core.value.enrolDevice(RegisteredApp(bundleID: bundleID))?.token }
    }
}
