import APNS
import Envelope
import PushStore
import ServiceParts

/// Present state of queues, credentials, keys, webhooks.
struct StatisticsState {
    let tenants: [TenantConfiguration]
    let counts: [LaneCount]
    let hooks: [HookCount]
    /// Of a single tenant.
    let oldest: [Lane: Timestamp]
    let suspended: [SuspendedApp]
    let ends: CertificateEnds
    let now: Timestamp

    func write(to writer: inout JSONWriter) {
        writer.name("queues")
        writer.array { writer in
            for tenant in tenants { writeQueues(of: tenant.id, to: &writer) }
        }
        writer.name("credentials")
        writer.array { writer in
            for tenant in tenants {
                for app in tenant.apps { writer.object { write(app, of: tenant.id, to: &$0) } }
            }
        }
        writer.name("keys")
        writer.array { writer in
            for tenant in tenants {
                for key in tenant.keys {
                    writer.object { writer in
                        writer.member("tenant", tenant.id.text)
                        writer.member("name", key.name)
                        writer.name("scopes")
                        writer.array { writer in
                            for scope in Scope.allCases where key.scopes.contains(scope) {
                                writer.string(scope.rawValue)
                            }
                        }
                        write(end: key.end, to: &writer)
                    }
                }
            }
        }
        writer.name("server-certificate")
        writer.object { write(end: ends.server, to: &$0) }
    }

    private func writeQueues(of tenant: TenantID, to writer: inout JSONWriter) {
        for lane in Lane.allCases {
            let count = counts.first { $0.tenant == tenant && $0.lane == lane } ?? LaneCount(tenant: tenant, lane: lane)
            writer.object { writer in
                writer.member("tenant", tenant.text)
                writer.member("lane", lane.word)
                writer.member("queued", count.queued)
                writer.member("sending", count.sending)
                writer.member("parked", count.parked)
                writer.member("dead", count.dead)
                guard let time = oldest[lane] else { return }
                let wait = time < now ? (now.milliseconds - time.milliseconds) / 1_000 : 0
                writer.member("oldest-seconds", wait)
            }
        }
    }

    private func write(_ app: AppConfiguration, of tenant: TenantID, to writer: inout JSONWriter) {
        writer.member("tenant", tenant.text)
        writer.member("topic", app.bundleID.text)
        writer.member("environment", app.environment.rawValue)
        switch app.credential {
        case .key(_, let keyID, _):
            writer.member("kind", "key")
            writer.member("key-id", "\(keyID)")
        case .certificate: writer.member("kind", "certificate")
        }
        write(end: ends.apps[.init(tenant: tenant, bundleID: app.bundleID, environment: app.environment)], to: &writer)
        let stop = suspended.first {
            $0.tenant == tenant && $0.bundleID == app.bundleID && $0.environment == app.environment
        }
        if let stop { writer.member("suspended", stop.reason.rawValue) }
    }

    /// - Parameter end: seconds since 1970; nil: never.
    private func write(end: Int64?, to writer: inout JSONWriter) {
        guard let end else { return }
        let unixSeconds = Int64(clamping: now.milliseconds / 1_000)
        writer.member("expires", Timestamp(milliseconds: UInt64(max(0, min(end, .max / 1_000))) * 1_000).text)
        writer.member("days-left", ServiceMetrics.days(from: unixSeconds, to: end))
    }

    func writeWebhooks(_ metrics: ServiceMetrics, to writer: inout JSONWriter) {
        writer.name("webhooks")
        writer.array { writer in
            for tenant in tenants where tenant.webhook != nil {
                let count = hooks.first { $0.tenant == tenant.id }
                let calls = metrics.tenants[tenant.id]?.webhook ?? ServiceMetrics.WebhookCounts()
                writer.object { writer in
                    writer.member("tenant", tenant.id.text)
                    writer.member("waiting", count?.waiting ?? 0)
                    writer.member("dropped", count?.dropped ?? 0)
                    writer.member("answered", calls.answered)
                    writer.member("failed", calls.failed)
                    if let time = calls.lastAnswered { writer.member("last-answered", time.text) }
                    if let time = calls.lastFailed {
                        writer.member("last-failed", time.text)
                        writer.member("last-failure", calls.lastFailure)
                    }
                }
            }
        }
    }
}
