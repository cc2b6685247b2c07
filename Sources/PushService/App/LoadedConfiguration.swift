package import Envelope
import Primitives
package import ServiceParts

/// Configuration with the contents of its files.
package struct LoadedConfiguration: Sendable {
    package let configuration: ServiceConfiguration
    package let files: ServiceFiles
    private let places: ConfigurationPositions

    /// Blocks on the disk.
    ///
    /// - Throws: faults of the configuration; if it has none, those of its files.
    package init(file: [UInt8], environment: [String: String], now: Timestamp) throws(ConfigurationErrors) {
        configuration = try ServiceConfiguration(file: file, environment: environment)
        places = ConfigurationPositions(file: file, environment: environment)
        files = try ServiceFiles.read(configuration, places, now: now)
    }

    /// Changes that need a restart.
    func lastingFaults(beside earlier: LoadedConfiguration) -> [ConfigurationError] {
        var faults: [ConfigurationError] = []
        if configuration.database != earlier.configuration.database
            || !files.databaseURL.isEqual(to: earlier.files.databaseURL)
        {
            let problem = "the database cannot change while the service runs; restart it"
            faults.append(places.fault(configuration.database.pointer, problem))
        }
        if configuration.listens != earlier.configuration.listens {
            faults.append(places.fault("/listen", "the listeners cannot change while the service runs; restart it"))
        }
        if configuration.loopbackPort != earlier.configuration.loopbackPort {
            faults.append(
                places.fault("/loopback-port", "the listeners cannot change while the service runs; restart it")
            )
        }
        if configuration.socket != earlier.configuration.socket {
            faults.append(places.fault("/socket", "the listeners cannot change while the service runs; restart it"))
        }
        if configuration.dashboard != earlier.configuration.dashboard {
            faults.append(places.fault("/dashboard", "the listeners cannot change while the service runs; restart it"))
        }
        if !files.tokenKey.isEqual(to: earlier.files.tokenKey) {
            let problem = "the key is not the one that the database was opened with; put that one back"
            faults.append(places.fault("/token-key-file", problem))
        }
        return faults
    }
}
