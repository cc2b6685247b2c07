package import APNS
package import Envelope
package import PushStore

/// Configuration, indexed. Immutable: a reload makes another.
package final class ServiceSettings: Sendable {
    /// An object: cheaper than copying.
    package final class App: Sendable {
        package let tenant: TenantConfiguration
        package let app: AppConfiguration
        /// Characters left for a record of RFC 8291.
        package let webPushRoom: Int

        init(tenant: TenantConfiguration, app: AppConfiguration) {
            self.tenant = tenant
            self.app = app
            webPushRoom = SealedPayload.webPushRoom(placeholder: app.placeholder)
        }
    }

    private struct Place: Hashable {
        let tenant: TenantID
        let bundleID: BundleID
        let environment: APNSEnvironment

        /// Few share a bundle id, and it is hashed often.
        func hash(into hasher: inout Hasher) { hasher.combine(bundleID) }
    }

    package let configuration: ServiceConfiguration
    package let allowsClearText: Bool
    private let tenants: [TenantID: TenantConfiguration]
    private let apps: [Place: App]

    package init(_ configuration: ServiceConfiguration) {
        self.configuration = configuration
        allowsClearText = configuration.tenants.contains(where: \.allowsClearText)
        tenants = Dictionary(configuration.tenants.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let rows = configuration.tenants.flatMap { tenant in
            tenant.apps.map { app in
                (
                    Place(tenant: tenant.id, bundleID: app.bundleID, environment: app.environment),
                    App(tenant: tenant, app: app)
                )
            }
        }
        apps = Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    package var limits: ServiceLimits { configuration.limits }

    /// Bundle ids, sorted, each once.
    package var bundleIDs: [String] {
        Set(configuration.tenants.flatMap { $0.apps.map(\.bundleID.text) }).sorted()
    }

    package func tenant(_ id: TenantID) -> TenantConfiguration? { tenants[id] }

    package func app(_ bundleID: BundleID, environment: APNSEnvironment, of tenant: TenantID) -> App? {
        apps[Place(tenant: tenant, bundleID: bundleID, environment: environment)]
    }

    /// App in any environment: its room is needed before the device is read.
    package func app(_ bundleID: BundleID, of tenant: TenantID) -> App? {
        app(bundleID, environment: .production, of: tenant) ?? app(bundleID, environment: .sandbox, of: tenant)
    }
}
