package import Envelope
import Primitives

/// A configuration with what its files hold: all that a service is started or reloaded with.
package struct LoadedConfiguration: Sendable {
    package let configuration: ServiceConfiguration
    package let files: ServiceFiles
    private let places: ConfigurationPlaces

    /// Waits for the disk.
    ///
    /// - Parameters:
    ///   - file: the configuration's bytes.
    ///   - environment: of the process.
    ///   - now: against which certificates are held.
    /// - Throws: every fault of the configuration; where it has none, every fault of the files that it names.
    package init(file: [UInt8], environment: [String: String], now: Timestamp) throws(ConfigurationError) {
        configuration = try ServiceConfiguration(file: file, environment: environment)
        places = ConfigurationPlaces(file: file, environment: environment)
        files = try ServiceFiles.read(configuration, places, now: now)
    }

    /// What differs from `earlier` and cannot while the service runs.
    func lastingFaults(beside earlier: LoadedConfiguration) -> [ConfigurationFault] {
        var faults: [ConfigurationFault] = []
        if configuration.databaseFile != earlier.configuration.databaseFile {
            faults.append(
                places.fault("/database-file", "the database stays the same while the service runs; restart it")
            )
        }
        if configuration.listens != earlier.configuration.listens {
            faults.append(places.fault("/listen", "who listens stays the same while the service runs; restart it"))
        }
        if configuration.loopbackPort != earlier.configuration.loopbackPort {
            faults.append(
                places.fault("/loopback-port", "who listens stays the same while the service runs; restart it")
            )
        }
        if !files.tokenKey.isEqual(to: earlier.files.tokenKey) {
            let problem = "the key is not the one that the database was opened with; put that one back"
            faults.append(places.fault("/token-key-file", problem))
        }
        return faults
    }
}
