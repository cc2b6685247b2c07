internal import Platform
private import UserNotifications

extension Device {
    /// A host of the internet that stands somewhere else, for a device whose extension asks for it by its real name.
    ///
    ///     conditions.hosts = [
    ///         Device.HostMapping("files.example.com", to: "localhost", port: 8_443, authoritiesPath: "ca.pem")
    ///     ]
    public struct HostMapping: Sendable, Hashable {
        let mapping: SimulatedDevice.HostMapping

        /// - Parameters:
        ///   - host: As it stands in URLs, at port 443. The server's certificate has to be for this name.
        ///   - actualHost: Where the server is: a name or an address.
        ///   - port: Where it listens.
        ///   - authoritiesPath: A PEM file of the authorities to trust, and no others.
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
