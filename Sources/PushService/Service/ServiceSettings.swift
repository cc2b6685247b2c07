package import APNS
import Envelope
package import PushStore

/// The configuration as requests and pushes look things up in it. One that was read is never changed: a reload makes another.
package final class ServiceSettings: Sendable {
    /// An object: each notification looks it up, and copying what it holds costs more than the look.
    package final class App: Sendable {
        package let tenant: TenantConfiguration
        package let app: AppConfiguration
        /// Characters that a record of RFC 8291 may have.
        package let webPushRoom: Int

        init(tenant: TenantConfiguration, app: AppConfiguration) {
            self.tenant = tenant
            self.app = app
            webPushRoom = SealedPayload.webPushRoom(placeholder: app.placeholder)
        }
    }

    private struct Place: Hashable {
        let tenant: TenantID
        let bundleID: String
        let environment: APNSEnvironment

        /// Few share a bundle id, and it is asked for some times for each notification.
        func hash(into hasher: inout Hasher) { hasher.combine(bundleID) }
    }

    package let configuration: ServiceConfiguration
    /// Whether any tenant may send words that everybody on the way can read.
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
                    Place(tenant: tenant.id, bundleID: app.bundleID.text, environment: app.environment),
                    App(tenant: tenant, app: app)
                )
            }
        }
        apps = Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    package var limits: ServiceLimits { configuration.limits }

    /// Of every app, each once, sorted.
    package var bundleIDs: [String] {
        Set(configuration.tenants.flatMap { $0.apps.map(\.bundleID.text) }).sorted()
    }

    package func tenant(_ id: TenantID) -> TenantConfiguration? { tenants[id] }

    /// - Returns: nil when the tenant has no such app there.
    package func app(_ bundleID: String, environment: APNSEnvironment, of tenant: TenantID) -> App? {
        apps[Place(tenant: tenant, bundleID: bundleID, environment: environment)]
    }

    /// The app in any environment: its placeholder's room is asked for before a device is looked at.
    package func app(_ bundleID: String, of tenant: TenantID) -> App? {
        app(bundleID, environment: .production, of: tenant) ?? app(bundleID, environment: .sandbox, of: tenant)
    }
}
