/// Apple's sandbox or production service. Device tokens and channels belong to one of them.
///
/// - Source: "Registering your app with APNs"; "Sending notification requests to APNs".
public enum APNSEnvironment: String, CaseIterable, Sendable {
    /// Apps from the App Store, TestFlight and enterprises.
    case production
    /// Apps installed by Xcode.
    case sandbox

    /// Hashes the case: the default for a raw value hashes its text.
    public func hash(into hasher: inout Hasher) { hasher.combine(self == .production) }
}
