package import APNS
import Transport

extension Simulator {
    /// A device that nobody holds, for a provider that wants to push to somebody: what comes for it is stored.
    ///
    /// - Parameter bundleID: the app on it.
    /// - Returns: its token; nil when there are too many devices.
    package func enrolDevice(bundleID: Topic) async -> DeviceToken? {
        let core = core
        return await core.loop.run { core.value.enrolDevice(RegisteredApp(bundleID: bundleID))?.token }
    }
}
