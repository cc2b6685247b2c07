/// Device's state as it affects pushes. An absent device sends nothing.
///
/// Two bytes on the wire, version and flags; flags unknown to the version are refused.
package struct DeviceState: OptionSet, Hashable, Sendable {
    /// Version of the flags below.
    package static let version: UInt8 = 1

    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Low Power Mode.
    package static let lowPower = DeviceState(rawValue: 1)
    package static let focus = DeviceState(rawValue: 2)
    /// App removed from the device.
    package static let appRemoved = DeviceState(rawValue: 4)
    /// Notifications of the app turned off.
    package static let notificationsOff = DeviceState(rawValue: 8)
    /// The app still handles a background push.
    package static let appRunning = DeviceState(rawValue: 16)

    package static let all: DeviceState = [.lowPower, .focus, .appRemoved, .notificationsOff, .appRunning]
}
