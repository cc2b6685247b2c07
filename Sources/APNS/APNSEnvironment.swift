/// Which of Apple's two services. They share nothing: neither device tokens nor channels of one are known to the other.
///
/// - Source: "Registering your app with APNs"; "Sending notification requests to APNs".
public enum APNSEnvironment: String, CaseIterable, Sendable {
    /// For apps from the App Store, from TestFlight and from enterprises.
    case production
    /// For apps that Xcode installed.
    case sandbox
}
