/// Where channels are managed. Broadcasts themselves go where pushes to devices go.
///
/// - Source: "Sending channel management requests to APNs", "Establish a connection".
public struct BroadcastEndpoint: Hashable, Sendable {
    /// A DNS name.
    public let host: String
    /// Not 443: each environment has its own.
    public let port: UInt16

    /// Another one: a simulator's.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// For apps from the App Store and TestFlight.
    public static let production = BroadcastEndpoint(host: "api-manage-broadcast.push.apple.com", port: 2196)
    /// For apps from Xcode.
    public static let sandbox = BroadcastEndpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195)
}
