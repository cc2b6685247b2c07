package import Envelope
package import Networking
package import Primitives
package import ServiceParts

/// Configuration's files, checked before a start or reload changes anything.
package final class ServiceFiles: Sendable {
    package let tls: TLSIdentity
    /// 32 bytes.
    package let tokenKey: SecretBytes
    /// URL of PostgreSQL; empty for a file.
    package let databaseURL: SecretBytes
    /// Earliest expiry, in seconds since 1970.
    package let certificatesEnd: Int64

    package let lanes: CredentialPlan
    /// Roots of App Attest, by file.
    let attestRoots: [String: [TLSCertificate]]

    private init(
        tls: TLSIdentity,
        tokenKey: consuming SecretBytes,
        databaseURL: consuming SecretBytes,
        certificatesEnd: Int64,
        lanes: CredentialPlan,
        attestRoots: [String: [TLSCertificate]]
    ) {
        self.tls = tls
        self.tokenKey = tokenKey
        self.databaseURL = databaseURL
        self.certificatesEnd = certificatesEnd
        self.lanes = lanes
        self.attestRoots = attestRoots
    }

    /// As `ServiceMetrics.days`.
    package func certificateDaysLeft(at unixSeconds: Int64) -> Int {
        ServiceMetrics.days(from: unixSeconds, to: certificatesEnd)
    }

    /// - Throws: every fault, at the field that names the file.
    package static func read(
        _ configuration: ServiceConfiguration,
        _ places: ConfigurationPositions,
        now: Timestamp
    ) throws(ConfigurationErrors) -> ServiceFiles {
        var reading = FileReading(places: places, now: now)
        let tls = reading.serverIdentity(configuration.tls)
        let key = reading.attempt("/token-key-file") { () throws(FileReadingError) in
            do throws(TokenKeyFileError) {
                return KeyBox(try TokenKeyFile.read(configuration.tokenKeyFile))
            } catch {
                throw FileReadingError(problem: error.description)
            }
        }
        let url = reading.database(configuration.database)
        reading.authorities(configuration.spans?.authoritiesFile, at: "/spans")
        for (index, tenant) in configuration.tenants.enumerated() {
            let place = "/tenants/\(index)"
            if let webhook = tenant.webhook { reading.receiver(webhook, at: place + "/webhook") }
            for (index, app) in tenant.apps.enumerated() {
                reading.app(app, of: tenant.id, at: "\(place)/apps/\(index)")
            }
        }
        guard reading.faults.isEmpty, let tls, let key, let url else {
            throw ConfigurationErrors(faults: reading.faults)
        }
        return ServiceFiles(
            tls: tls,
            tokenKey: key.bytes.copy(storage: .guarded),
            databaseURL: url.bytes.copy(storage: .guarded),
            certificatesEnd: reading.certificatesEnd,
            lanes: reading.lanes,
            attestRoots: reading.attestRoots
        )
    }
}

/// Makes a key copyable, for generics.
private final class KeyBox {
    let bytes: SecretBytes
    init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
}
