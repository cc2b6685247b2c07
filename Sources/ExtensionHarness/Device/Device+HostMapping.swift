internal import Platform
private import UserNotifications

extension Device {
    /// A host that another server stands in for; the extension uses the real name.
    ///
    ///     conditions.hosts = [
    ///         Device.HostMapping("files.example.com", to: "localhost", port: 8_443, authoritiesPath: "ca.pem")
    ///     ]
    public struct HostMapping: Sendable, Hashable {
        let mapping: SimulatedDevice.HostMapping

        /// Maps a host.
        ///
        /// - Parameters:
        ///   - host: Name in URLs, at port 443. The server's certificate has to be for this name.
        ///   - actualHost: Name or address that is connected to instead.
        ///   - port: Of the actual host.
        ///   - authoritiesPath: A PEM file of the only authorities to trust.
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
