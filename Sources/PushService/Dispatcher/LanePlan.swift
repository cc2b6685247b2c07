package import APNS
package import APNSProvider
import Envelope
import Keys
import Primitives
import Transport

/// The credentials that a configuration names, read and found good. Reads files: not on the loop.
package struct LanePlan: Sendable {
    /// What a client is one for.
    struct Key: Hashable, Sendable {
        let credential: AppConfiguration.Credential
        let endpoint: APNSEndpoint
        let authoritiesFile: String?
    }

    struct Material: Sendable {
        let credential: APNSCredential
        let trust: TLSTrust
        /// Of the files: whether they are other ones now.
        let digest: [UInt8]
    }

    /// An app of a tenant at one of Apple's environments.
    struct Place: Hashable, Sendable {
        let tenant: String
        let bundleID: String
        let environment: APNSEnvironment
    }

    /// Why a credential cannot be used: which file of which app, and what to do.
    package struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
        package let file: String
        package let bundleID: String
        package let environment: APNSEnvironment
        package let problem: String

        package var description: String { "\(file): \(bundleID) (\(environment.rawValue)): \(problem)" }
    }

    /// Every fault; at least one.
    package struct Faults: Error, Equatable, Sendable {
        package let faults: [Fault]
    }

    private(set) var materials: [Key: Material] = [:]
    private(set) var places: [Place: Key] = [:]

    /// - Parameters:
    ///   - settings: which apps there are.
    ///   - now: for the dates of certificates.
    /// - Throws: all that is wrong with any file.
    package init(_ settings: ServiceSettings, now: Moment = .now()) throws(Faults) {
        var reader = CredentialReader(now: now)
        for tenant in settings.configuration.tenants {
            for app in tenant.apps {
                let key = Key(app)
                let place = Place(tenant: tenant.id, bundleID: app.bundleID.text, environment: app.environment)
                places[place] = key
                guard let material = reader.material(of: app) else { continue }
                materials[key] = material
            }
        }
        guard reader.faults.isEmpty else { throw Faults(faults: reader.faults) }
    }
}

extension LanePlan.Key {
    init(_ app: AppConfiguration) {
        credential = app.credential
        authoritiesFile = app.endpoint?.authoritiesFile
        endpoint =
            app.endpoint.map { APNSEndpoint(host: $0.host, port: $0.port) }
            ?? (app.environment == .production ? .production : .sandbox)
    }
}
