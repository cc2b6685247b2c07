import APNS
import APNSProvider
import Envelope
import PushStore
import Transport

/// The credentials that a configuration names, read and found good.
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
        let tenant: TenantID
        let bundleID: String
        let environment: APNSEnvironment

        /// Few share a bundle id, and it is asked for some times for each notification.
        func hash(into hasher: inout Hasher) { hasher.combine(bundleID) }
    }

    private(set) var materials: [Key: Material] = [:]
    private(set) var places: [Place: Key] = [:]

    /// - Parameters:
    ///   - app: one of the tenant's.
    ///   - tenant: its id.
    ///   - material: the app's.
    mutating func add(_ app: AppConfiguration, of tenant: TenantID, _ material: Material) {
        let key = Key(app)
        places[Place(tenant: tenant, bundleID: app.bundleID.text, environment: app.environment)] = key
        materials[key] = material
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
