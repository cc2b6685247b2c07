/// How a device is, as far as that decides what becomes of a push. A device that is away says nothing at all.
///
/// On the wire it is two bytes, the version and the flags; a flag that the version does not have is refused.
package struct DeviceState: OptionSet, Hashable, Sendable {
    /// Of the flags below.
    package static let version: UInt8 = 1

    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Low Power Mode: the device saves what it can.
    package static let lowPower = DeviceState(rawValue: 1)
    /// The person does not want to be interrupted.
    package static let focus = DeviceState(rawValue: 2)
    /// The app was taken off the device, which is still there.
    package static let appRemoved = DeviceState(rawValue: 4)
    /// The person has turned the app's notifications off.
    package static let notificationsOff = DeviceState(rawValue: 8)
    /// The app still deals with a background push.
    package static let appRunning = DeviceState(rawValue: 16)

    package static let all: DeviceState = [.lowPower, .focus, .appRemoved, .notificationsOff, .appRunning]
}
