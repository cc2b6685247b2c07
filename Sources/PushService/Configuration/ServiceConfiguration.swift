package import APNS
package import Envelope
package import PushStore

/// All that the service is told at its start, from one JSON file and the environment (docs/service.md).
///
/// Files are named here and read elsewhere; the only secrets' traces in it are hashes.
package struct ServiceConfiguration: Equatable, Sendable {
    package struct Listen: Equatable, Sendable {
        /// A literal address.
        package let address: String
        /// 0 lets the system choose.
        package let port: UInt16
    }

    package struct TLSFiles: Equatable, Sendable {
        package let certificateFile: String
        package let keyFile: String
    }

    /// Where HTTPS is spoken; 1 or more.
    package let listens: [Listen]
    /// Plain HTTP on 127.0.0.1 only: probes, and back ends on the same machine.
    package let loopbackPort: UInt16?
    /// Nil: no proxy is believed, and a client is the other end of its connection.
    package let proxies: ProxyConfiguration?
    package let tls: TLSFiles
    package let databaseFile: String
    /// 32 bytes that device tokens are encrypted under, outside the database.
    package let tokenKeyFile: String
    package let tenants: [TenantConfiguration]
    package let limits: ServiceLimits

    /// Every key of every tenant.
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

/// One customer of the service: its keys, its apps, its share.
///
/// An object: each notification takes it from step to step, and copying what it holds costs more than the look.
package final class TenantConfiguration: Equatable, Sendable {
    package struct Key: Equatable, Sendable {
        /// For the audit log.
        package let name: String
        package let hash: APIKeyHash
        package let scopes: Scopes
        /// From then on it is refused, in seconds since 1970; nil: never.
        package var end: Int64?
    }

    /// 1 ... 64 characters `a-z 0-9 -`.
    package let id: TenantID
    package let keys: [Key]
    package let apps: [AppConfiguration]
    /// Notifications accepted in one day of UTC.
    package let quotaPerDay: Int
    /// Requests, in the long run.
    package let requestsPerSecond: Double
    /// Whether `POST /v1/compat/sap` takes words that everybody on the way can read.
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

/// One app at one of Apple's environments.
package struct AppConfiguration: Equatable, Sendable {
    package enum Credential: Hashable, Sendable {
        case key(file: String, keyID: KeyID, teamID: TeamID)
        /// PEM of certificate and key, or PKCS #12 with the file of its password.
        case certificate(file: String, passwordFile: String?)
    }

    /// Another server in Apple's place: the simulator.
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
    /// Where the feedback service of before 2021 is, for whoever still has one; only with a certificate.
    package let feedback: Feedback?
    package let placeholder: Placeholder
    /// Off unless turned on (protocol v1, rule 37).
    package let takesReceipts: Bool
    package let fallback: FallbackConfiguration?
}

/// Where results go.
package struct WebhookConfiguration: Hashable, Sendable {
    package let target: WebhookTarget
    /// The key of the signatures, as `WebhookSecret` reads it.
    package let secretFile: String
    /// The key of before: while receivers change, there is a signature under each.
    package let oldSecretFile: String?
    /// Who may vouch for the receiver, and nobody else, as PEM; nil for the system's authorities.
    package let authoritiesFile: String?
    /// Ranges that are reached although they are not public.
    package let allowedRanges: [IPRange]
    /// How many events go in one call at most; with 1 each goes as it is, with more in a list.
    package let eventsPerCall: Int
}

/// What happens once when an urgent notification has no receipt in time.
package struct FallbackConfiguration: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case webhook
        case sms
    }

    package let kind: Kind
    package let delivery: WebhookConfiguration
    package let afterSeconds: Int
    /// The app's constant words; nothing of a message.
    package let text: String
}
