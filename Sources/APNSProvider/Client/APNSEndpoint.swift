/// Where pushes go.
///
/// - Source: "Sending notification requests to APNs", "Establish a connection to APNs".
public struct APNSEndpoint: Sendable, Hashable {
    /// A name or an address; the server's certificate must carry it.
    public let host: String
    /// Apple listens on 443, and on 2197 for firewalls that treat 443 specially.
    public let port: UInt16

    /// For apps from the App Store, from TestFlight and from enterprises.
    public static let production = APNSEndpoint(host: "api.push.apple.com", port: 443)
    /// For apps that Xcode installed.
    public static let sandbox = APNSEndpoint(host: "api.sandbox.push.apple.com", port: 443)

    /// Any server that speaks APNs's protocol.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// `:authority` (RFC 9110 section 7.2): the port is left out where it is https's own, an IPv6 address has brackets.
    var authority: [UInt8] {
        let host = host.contains(":") ? "[\(host)]" : host
        return Array((port == 443 ? host : "\(host):\(port)").utf8)
    }
}
