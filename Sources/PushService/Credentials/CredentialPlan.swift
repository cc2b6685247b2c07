import APNS
import APNSProvider
import Envelope
import Networking
import PushStore

/// Configuration's credentials, read and checked.
package struct CredentialPlan: Sendable {
    struct Key: Hashable, Sendable {
        let credential: AppConfiguration.Credential
        let endpoint: APNSEndpoint
        let authoritiesFile: String?
    }

    struct Material: Sendable {
        let credential: APNSCredential
        let trust: TLSTrust
        /// Tells if the files have changed.
        let digest: [UInt8]
    }

    /// Tenant's app in one of Apple's environments.
    struct Place: Hashable, Sendable {
        let tenant: TenantID
        let bundleID: BundleID
        let environment: APNSEnvironment
    }

    private(set) var materials: [Key: Material] = [:]
    private(set) var places: [Place: Key] = [:]

    mutating func add(_ app: AppConfiguration, of tenant: TenantID, _ material: Material) {
        let key = Key(app)
        places[Place(tenant: tenant, bundleID: app.bundleID, environment: app.environment)] = key
        materials[key] = material
    }

    /// In seconds since 1970, of apps with a certificate.
    var certificateEnds: [Place: Int64] {
        places.compactMapValues { key in
            guard let material = materials[key], case .certificate(let certificate) = material.credential else {
                return nil
            }
            return certificate.validity.upperBound
        }
    }
}

extension CredentialPlan.Key {
    init(_ app: AppConfiguration) {
        credential = app.credential
        authoritiesFile = app.endpoint?.authoritiesFile
        endpoint =
            app.endpoint.map { APNSEndpoint(host: $0.host, port: $0.port) }
            ?? (app.environment == .production ? .production : .sandbox)
    }
}
