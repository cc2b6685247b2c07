internal import Platform
private import UserNotifications

extension Device {
    /// Server in place of a host; the extension uses the real name.
    ///
    ///     conditions.hosts = [
    ///         Device.HostMapping("files.example.com", to: "localhost", port: 8_443, authoritiesPath: "ca.pem")
    ///     ]
    public struct HostMapping: Sendable, Hashable {
        let mapping: SimulatedDevice.HostMapping

        /// Maps a host.
        ///
        /// - Parameters:
        ///   - host: name in URLs, at port 443, and of the server's certificate.
        ///   - actualHost: name or address to connect to instead.
        ///   - port: of the actual host.
        ///   - authoritiesPath: PEM file of the only authorities to trust.
        public init(_ host: String, to actualHost: String, port: UInt16, authoritiesPath: String) {
            mapping = SimulatedDevice.HostMapping(
                host: host,
                port: 443,
                actualHost: actualHost,
                actualPort: port,
                // The extension's process may have another current folder.
                authoritiesPath: URL(fileURLWithPath: authoritiesPath).path
            )
        }
    }
}
