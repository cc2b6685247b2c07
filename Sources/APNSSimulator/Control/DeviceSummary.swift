/// A registration of a device as the control API shows it: by our own number for the device, without its token.
package struct DeviceSummary: Sendable, Equatable {
    package let number: Int
    package let app: RegisteredApp
    package let isConnected: Bool
    /// Milliseconds since 1970: since when its app is gone.
    package let unregisteredAtMilliseconds: Int64?
    /// Pushes that wait for it.
    package let waitingCount: Int

    /// One word of the control API.
    package var state: String {
        if unregisteredAtMilliseconds != nil { return "app-removed" }
        return isConnected ? "online" : "offline"
    }

    /// Why a push would be refused; nil where none would.
    package var inactivity: String? {
        unregisteredAtMilliseconds == nil ? nil : "the app was removed: pushes are answered 410 Unregistered"
    }
}
