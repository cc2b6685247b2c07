package import APNS
package import DeviceLink

/// Report like that of Apple's console.
package struct TokenReport: Equatable, Sendable {
    package enum Status: Equatable, Sendable {
        case active
        /// The other environment's; gets BadDeviceToken here.
        case otherEnvironment
        /// App removed or token expired; milliseconds since 1970.
        case unregistered(atMilliseconds: Int64)
        /// Newer token on the same device; milliseconds since 1970.
        case replaced(atMilliseconds: Int64)
        /// Made with our key, in another run.
        case unknown
    }

    package let environment: APNSEnvironment
    /// `nil` if only the other environment's simulator knows.
    package let bundleID: Topic?
    /// `nil` for a token of another run.
    package let kind: TokenKind?
    package let device: Int?
    package let generation: Int
    package let status: Status
}
