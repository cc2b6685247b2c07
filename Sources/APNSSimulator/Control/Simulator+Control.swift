package import APNS
import Networking

extension Simulator {
    /// Creates an offline device; nil if there are too many.
    package func enrolDevice(bundleID: Topic) async -> DeviceToken? {
        let core = core
        return await core.loop.run { core.value.enrolDevice(RegisteredApp(bundleID: bundleID))?.token }
    }
}
