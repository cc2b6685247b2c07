/// A server for pushes.
public struct APNSEndpoint: Sendable, Hashable {
    /// Name or address that the server's certificate must carry.
    public let host: String
    /// Apple listens on 443, and on 2197 for firewalls that treat 443 specially.
    public let port: UInt16

    /// For apps from the App Store, TestFlight and enterprises.
    public static let production = APNSEndpoint(host: "api.push.apple.com", port: 443)
    /// For apps that Xcode installed.
    public static let sandbox = APNSEndpoint(host: "api.sandbox.push.apple.com", port: 443)

    /// Any server with APNs' protocol.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// `:authority` (RFC 9110 section 7.2): without port 443, an IPv6 address in brackets.
    var authority: [UInt8] {
        let host = host.contains(":") ? "[\(host)]" : host
        return Array((port == 443 ? host : "\(host):\(port)").utf8)
    }
}
