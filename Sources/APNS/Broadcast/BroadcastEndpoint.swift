/// Service that manages channels. Broadcasts go to the endpoint of device pushes.
///
/// - Source: "Sending channel management requests to APNs", "Establish a connection".
public struct BroadcastEndpoint: Hashable, Sendable {
    /// DNS name.
    public let host: String
    /// Port, which differs by environment and is not 443.
    public let port: UInt16

    /// Creates another endpoint, such as a simulator's.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Apps from the App Store and TestFlight.
    public static let production = BroadcastEndpoint(host: "api-manage-broadcast.push.apple.com", port: 2196)
    /// Apps installed by Xcode.
    public static let sandbox = BroadcastEndpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195)
}
