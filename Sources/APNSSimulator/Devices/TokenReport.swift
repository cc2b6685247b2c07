package import APNS
package import DeviceLink

/// What the simulator knows of one of its own tokens, for people: Apple's console answers the same.
package struct TokenReport: Equatable, Sendable {
    package enum Status: Equatable, Sendable {
        case active
        /// It belongs to the other environment; here it gets BadDeviceToken.
        case otherEnvironment
        /// The app is gone since then; milliseconds since 1970.
        case unregistered(atMilliseconds: Int64)
        /// The device has a newer token for the app since then; milliseconds since 1970.
        case replaced(atMilliseconds: Int64)
        /// Made with our key, in another run.
        case unknown
    }

    package let environment: APNSEnvironment
    /// `nil` where only the other environment's simulator knows.
    package let bundleID: Topic?
    /// `nil` for a token of another run.
    package let kind: TokenKind?
    /// Our own number for it, where it is known here.
    package let device: Int?
    /// How many tokens the device had for the app before.
    package let generation: Int
    package let status: Status
}
