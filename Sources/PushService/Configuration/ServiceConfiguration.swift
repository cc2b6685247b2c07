package import APNS
package import Envelope
package import PushStore
package import ServiceParts

/// Configuration, from one JSON file and the environment (docs/service.md). Of secrets it has hashes only.
package struct ServiceConfiguration: Equatable, Sendable {
    package struct Listen: Equatable, Sendable {
        /// Literal address.
        package let address: String
        /// 0 lets the system choose.
        package let port: UInt16
    }

    package struct TLSFiles: Equatable, Sendable {
        package let certificateFile: String
        package let keyFile: String
    }

    /// 1 or more.
    package let listens: [Listen]
    /// Plain HTTP on 127.0.0.1, for probes and local back ends.
    package let loopbackPort: UInt16?
    /// Plain HTTP for a proxy of this machine.
    package let socket: SocketFile.Place?
    /// Trusted proxies; nil: the client is the connection's peer.
    package let proxies: ProxyConfiguration?
    package let tls: TLSFiles
    package let database: DatabasePlace
    /// 32 bytes that encrypt device tokens, outside the database.
    package let tokenKeyFile: String
    package let tenants: [TenantConfiguration]
    package let limits: ServiceLimits
    /// nil: none are made.
    package var spans: SpanCollector?
    package var dashboard: DashboardConfiguration?

    package var accessTable: AccessTable {
        AccessTable(
            tenants.flatMap { tenant in
                tenant.keys.map { key in
                    (key.hash, Grant(tenant: tenant.id, keyName: key.name, scopes: key.scopes, end: key.end))
                }
            }
        )
    }
}

/// An object: cheaper than copying.
package final class TenantConfiguration: Equatable, Sendable {
    package struct Key: Equatable, Sendable {
        /// Name for the audit log.
        package let name: String
        package let hash: APIKeyHash
        package let scopes: Scopes
        /// Expiry in seconds since 1970; nil: never.
        package var end: Int64?
    }

    /// 1 ... 64 characters `a-z 0-9 -`.
    package let id: TenantID
    package let keys: [Key]
    package let apps: [AppConfiguration]
    /// Notifications accepted in one UTC day.
    package let quotaPerDay: Int
    package let requestsPerSecond: Double
    package let allowsClearText: Bool
    package let webhook: WebhookConfiguration?

    init(
        id: TenantID,
        keys: [Key],
        apps: [AppConfiguration],
        quotaPerDay: Int,
        requestsPerSecond: Double,
        allowsClearText: Bool,
        webhook: WebhookConfiguration?
    ) {
        self.id = id
        self.keys = keys
        self.apps = apps
        self.quotaPerDay = quotaPerDay
        self.requestsPerSecond = requestsPerSecond
        self.allowsClearText = allowsClearText
        self.webhook = webhook
    }

    package static func == (one: TenantConfiguration, other: TenantConfiguration) -> Bool {
        one.id == other.id && one.keys == other.keys && one.apps == other.apps
            && one.quotaPerDay == other.quotaPerDay && one.requestsPerSecond == other.requestsPerSecond
            && one.allowsClearText == other.allowsClearText && one.webhook == other.webhook
    }
}

package struct AppConfiguration: Equatable, Sendable {
    package enum Credential: Hashable, Sendable {
        case key(file: String, keyID: KeyID, teamID: TeamID)
        /// PEM of certificate and key, or PKCS #12.
        case certificate(file: String, passwordFile: String?)
    }

    /// Simulator in Apple's place.
    package struct Endpoint: Hashable, Sendable {
        package let host: String
        package let port: UInt16
        package let authoritiesFile: String
    }

    package struct Feedback: Equatable, Sendable {
        package let host: String
        package let port: UInt16
    }

    package let bundleID: BundleID
    package let environment: APNSEnvironment
    package let credential: Credential
    package let endpoint: Endpoint?
    /// Feedback service as before 2021; only with a certificate.
    package let feedback: Feedback?
    package let placeholder: Placeholder
    /// Off unless turned on (protocol v1, rule 37).
    package let takesReceipts: Bool
    package let fallback: FallbackConfiguration?
    /// nil: its devices give out no endpoints.
    package var gateway: GatewayConfiguration?
}

/// Endpoints that an app's devices give to servers.
package struct GatewayConfiguration: Equatable, Sendable {
    /// `https://` and the name under which servers reach this service, with a port if it is another; no slash at the end.
    package let origin: String
    /// True: pushes in the coding of a draft, `aesgcm`, are accepted too.
    package var allowsDraftCoding = false
    /// Pushes of all servers to all the app's devices.
    package var pushesPerSecond = 500
    /// nil: the tenant's back end registers devices.
    package var enrolment: EnrolmentRule?
}

package struct WebhookConfiguration: Hashable, Sendable {
    package let target: WebhookTarget
    package let secretFile: String
    /// During a change, requests are signed under each key.
    package let oldSecretFile: String?
    /// The only trusted authorities, as PEM; nil: the system's.
    package let authoritiesFile: String?
    package let allowedRanges: [IPRange]
    /// 1 sends each event alone, more a list.
    package let eventsPerCall: Int
}

/// Collector of spans, by OTLP over HTTP.
package struct SpanCollector: Equatable, Sendable {
    package let target: WebhookTarget
    /// PEM; nil: the system's.
    package let authoritiesFile: String?
}

package struct FallbackConfiguration: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case webhook
        case sms
    }

    package let kind: Kind
    package let delivery: WebhookConfiguration
    package let afterSeconds: Int
    /// Constant text; nothing of a message.
    package let text: String
}
