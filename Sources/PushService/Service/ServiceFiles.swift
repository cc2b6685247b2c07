package import Envelope
package import Primitives
package import Transport

/// What is in the files that a configuration names. All of them are read and found good before anything begins, and before a
/// reload changes anything.
package final class ServiceFiles: Sendable {
    /// The server's.
    package let tls: TLSIdentity
    /// 32 bytes.
    package let tokenKey: SecretBytes
    /// When the first of the certificates ends, the server's among them; seconds since 1970.
    package let certificatesEnd: Int64

    /// What the providers' connections are made of.
    package let lanes: LanePlan

    private init(tls: TLSIdentity, tokenKey: consuming SecretBytes, certificatesEnd: Int64, lanes: LanePlan) {
        self.tls = tls
        self.tokenKey = tokenKey
        self.certificatesEnd = certificatesEnd
        self.lanes = lanes
    }

    /// Whole days until the first certificate ends, rounded down: an hour after the end is day -1.
    ///
    /// - Parameter unixSeconds: the wall's time.
    /// - Returns: below zero when it is over.
    package func certificateDaysLeft(at unixSeconds: Int64) -> Int {
        ServiceMetrics.days(from: unixSeconds, to: certificatesEnd)
    }

    /// - Parameters:
    ///   - configuration: names the files.
    ///   - places: the same configuration's.
    ///   - now: against which certificates are held.
    /// - Returns: what is in them.
    /// - Throws: every fault of every file, at the field that names it.
    package static func read(
        _ configuration: ServiceConfiguration,
        _ places: ConfigurationPlaces,
        now: Timestamp
    ) throws(ConfigurationError) -> ServiceFiles {
        var reading = FileReading(places: places, now: now)
        let tls = reading.serverIdentity(configuration.tls)
        let key = reading.attempt("/token-key-file") { () throws(FileReading.Fault) in
            do throws(TokenKeyFile.Fault) {
                return KeyBox(try TokenKeyFile.read(configuration.tokenKeyFile))
            } catch {
                throw FileReading.Fault(problem: error.description)
            }
        }
        reading.database(configuration.databaseFile, at: "/database-file")
        for (index, tenant) in configuration.tenants.enumerated() {
            let place = "/tenants/\(index)"
            if let webhook = tenant.webhook { reading.receiver(webhook, at: place + "/webhook") }
            for (index, app) in tenant.apps.enumerated() {
                reading.app(app, of: tenant.id, at: "\(place)/apps/\(index)")
            }
        }
        guard reading.faults.isEmpty, let tls, let key else { throw ConfigurationError(faults: reading.faults) }
        return ServiceFiles(
            tls: tls,
            tokenKey: key.bytes.copy(storage: .guarded),
            certificatesEnd: reading.certificatesEnd,
            lanes: reading.lanes
        )
    }
}

/// A key where only what can be copied may pass: a generic result.
private final class KeyBox {
    let bytes: SecretBytes
    init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
}
