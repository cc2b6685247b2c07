import APNS
import Envelope
import HTTP
import Platform
import PushStore
import ServiceParts

/// `GET /v1/statistics` and `/v1/statistics/days`, and the same of the whole service.
struct StatisticsHandler: Sendable {
    /// The smallest count under the region `other`.
    static let rowCountMax = 1_000
    static let secondsPerDay: Int64 = 86_400

    let context: ServiceContext
    let dispatch: any DispatchInterface

    func now(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        .json(200, bytes: try await bytes(of: scope(call)))
    }

    func days(_ call: APICall) async throws(Problem) -> HTTPAnswer {
        let tenant = try scope(call)
        let query = try DayQuery(call.query)
        let day = query.day
        let rates = dispatch.deliveryRates
        let last = today
        let days = day.map { [$0] } ?? (0..<DeliveryRates.dayCountMax).map { last - $0 }
        return .json(200) { writer in
            writer.name("days")
            writer.array { writer in
                for one in days {
                    let rows =
                        day == nil
                        ? rates.totals(day: one, of: tenant)
                        : rates.rows(day: one, of: tenant, countMax: Self.rowCountMax)
                    guard !rows.isEmpty || day != nil else { continue }
                    writer.object { writer in
                        writer.member("day", query.text(one))
                        Self.write(rows, withRegion: day != nil, to: &writer)
                    }
                }
            }
        }
    }

    /// Nil: all tenants.
    private func scope(_ call: APICall) throws(Problem) -> TenantID? {
        let tenant = try call.tenant().id
        return call.route.scope == .metrics ? nil : tenant
    }

    private var today: Int64 { Int64(clamping: context.clock.now().milliseconds / 1_000) / Self.secondsPerDay }

    /// Today's deliveries, and what is the case now. On the loop.
    ///
    /// - Parameter tenant: nil: all of them.
    func bytes(of tenant: TenantID?) async throws(Problem) -> [UInt8] {
        let (context, dispatch) = (context, dispatch)
        let counts = try await context.asking { () throws(StoreError) in try await context.store.counts() }
        let hooks = try await context.asking { () throws(StoreError) in
            try await context.store.hookCounts()
        }
        var oldest: [Lane: Timestamp] = [:]
        if let tenant {
            for lane in Lane.allCases {
                oldest[lane] = try await context.asking { () throws(StoreError) in
                    try await context.store.oldestDue(lane, of: tenant)
                }
            }
        }
        let settings = context.settings
        let metrics = context.metrics.withLock { $0 }
        let tenants = settings.configuration.tenants.filter { tenant == nil || $0.id == tenant }
        let state = StatisticsState(
            tenants: tenants,
            counts: counts,
            hooks: hooks,
            oldest: oldest,
            suspended: dispatch.suspendedApps,
            ends: context.certificates.withLock { $0 },
            now: context.clock.now()
        )
        var writer = JSONWriter(reserving: 4_096)
        writer.object { writer in
            writer.member("day", DayQuery.text(today))
            let rows = dispatch.deliveryRates.rows(day: today, of: tenant, countMax: Self.rowCountMax)
            Self.write(rows, withRegion: true, to: &writer)
            state.write(to: &writer)
            let own = tenant.flatMap { metrics.tenants[$0] } ?? ServiceMetrics.TenantCounts()
            writer.name("latency")
            writer.object { writer in
                writer.name("accept")
                (tenant == nil ? metrics.acceptLatency : own.acceptLatency).write(to: &writer)
                writer.name("apns")
                (tenant == nil ? metrics.answerLatency : own.answerLatency).write(to: &writer)
            }
            state.writeWebhooks(metrics, to: &writer)
        }
        return writer.bytes
    }

    private static func write(
        _ rows: [(row: DeliveryRates.Row, counts: DeliveryRates.Counts)],
        withRegion: Bool,
        to writer: inout JSONWriter
    ) {
        writer.name("deliveries")
        writer.array { writer in
            for (row, counts) in rows {
                writer.object { writer in
                    writer.member("tenant", row.tenant.text)
                    writer.member("topic", row.app)
                    if withRegion { writer.member("region", row.region) }
                    for (name, path) in DeliveryRates.Counts.members {
                        writer.member(name.description, counts[keyPath: path])
                    }
                }
            }
        }
    }
}

extension Histogram {
    /// Each bucket's own count; longer durations are in `count` alone.
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("count", count)
            writer.member("microseconds", sumMicroseconds)
            writer.name("buckets")
            writer.array { writer in
                for (bound, count) in zip(Self.boundsMicroseconds, counts) {
                    writer.object { writer in
                        writer.member("microseconds", bound)
                        writer.member("count", count)
                    }
                }
            }
        }
    }
}
