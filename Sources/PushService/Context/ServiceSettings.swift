package import APNS
package import Envelope
package import Networking
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
    }

    package let configuration: ServiceConfiguration
    package let allowsClearText: Bool
    private let tenants: [TenantID: TenantConfiguration]
    private let apps: [Place: App]
    /// Apps whose devices enrol themselves; they name no tenant.
    private let enrolling: [App]
    private let attestRoots: [String: [TLSCertificate]]

    /// - Parameter attestRoots: of App Attest, by file.
    package init(_ configuration: ServiceConfiguration, attestRoots: [String: [TLSCertificate]] = [:]) {
        self.configuration = configuration
        self.attestRoots = attestRoots
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
        enrolling = rows.map(\.1).filter { $0.app.gateway?.enrolment != nil }
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

    /// - Parameter app: with App Attest as its rule; nil for another rule.
    func attestRule(of app: App) -> AppAttestRule? {
        guard case .appAttest(let teamID, let file)? = app.app.gateway?.enrolment?.kind else { return nil }
        let (bundleID, environment) = (app.app.bundleID, app.app.environment)
        return AppAttestRule(teamID: teamID, app: bundleID, environment: environment, roots: attestRoots[file] ?? [])
    }

    package func enrolling(_ bundleID: BundleID, _ environment: APNSEnvironment) -> App? {
        enrolling.first { $0.app.bundleID == bundleID && $0.app.environment == environment }
    }

    /// App in any environment: its room is needed before the device is read.
    package func app(_ bundleID: BundleID, of tenant: TenantID) -> App? {
        app(bundleID, environment: .production, of: tenant) ?? app(bundleID, environment: .sandbox, of: tenant)
    }
}
