/// Registration without its token.
package struct DeviceSummary: Sendable, Equatable {
    package let number: Int
    package let app: RegisteredApp
    package let isConnected: Bool
    /// Pushes get 410 since then; milliseconds since 1970.
    package let unregisteredAtMilliseconds: Int64?
    /// Stored and held pushes, without grouped ones.
    package let waitingCount: Int

    package var state: String {
        if unregisteredAtMilliseconds != nil { return "app-removed" }
        return isConnected ? "online" : "offline"
    }

    /// Reason to refuse pushes, if any.
    package var inactivity: String? {
        unregisteredAtMilliseconds == nil ? nil : "the app was removed: pushes are answered 410 Unregistered"
    }
}
