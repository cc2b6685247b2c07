import PushStore

/// Counts of servers' pushes, by endpoint and app, in bounded memory. Nothing of a push but its result.
struct EndpointCounts: Sendable {
    /// Endpoints counted at one time; pushes to others count for their app alone.
    static let endpointCountMax = 20_000
    private static let busiestCountMax = 100

    struct Busy: Sendable {
        let target: EndpointTarget
        var counts: GatewayCounts
    }

    /// Not in the store yet.
    private var unsaved = GatewayDeltas()
    /// Since the last two full hours.
    private var recent: [[UInt8]: Busy] = [:]
    private var earlier: [[UInt8]: Busy] = [:]
    private var hour: Int64 = 0

    /// - Parameter now: nanoseconds of a monotonic clock.
    mutating func note(_ target: EndpointTarget, isAccepted: Bool, now: Int64) {
        let one = GatewayCounts(accepted: isAccepted ? 1 : 0, refused: isAccepted ? 0 : 1)
        let hash = target.endpoint.hash
        let app = GatewayApp(
            tenant: target.endpoint.device.tenant,
            topic: target.topic,
            environment: target.environment
        )
        unsaved.apps[app, default: GatewayCounts()] += one
        if unsaved.endpoints[hash] != nil || unsaved.endpoints.count < Self.endpointCountMax {
            unsaved.endpoints[hash, default: GatewayCounts()] += one
        }
        let hour = now / 3_600_000_000_000
        if hour != self.hour { (earlier, recent, self.hour) = (hour == self.hour + 1 ? recent : [:], [:], hour) }
        if recent[hash] != nil || recent.count < Self.endpointCountMax {
            recent[hash, default: Busy(target: target, counts: GatewayCounts())].counts += one
        }
    }

    /// - Returns: a tenant's endpoints with the most pushes in this hour and the last.
    func busiest(of tenant: TenantID) -> [Busy] {
        let own = { (busy: Busy) in busy.target.endpoint.device.tenant == tenant }
        var all = recent.filter { own($0.value) }
        for (hash, busy) in earlier where own(busy) {
            all[hash, default: Busy(target: busy.target, counts: GatewayCounts())].counts += busy.counts
        }
        return Array(all.values.sorted { $0.counts.sum > $1.counts.sum }.prefix(Self.busiestCountMax))
    }

    /// Takes what is to be saved.
    mutating func takeUnsaved() -> GatewayDeltas {
        defer { unsaved = GatewayDeltas() }
        return unsaved
    }

    /// Counts what could not be saved with the next.
    mutating func giveBack(_ deltas: GatewayDeltas) {
        for (app, counts) in deltas.apps { unsaved.apps[app, default: GatewayCounts()] += counts }
        for (hash, counts) in deltas.endpoints { unsaved.endpoints[hash, default: GatewayCounts()] += counts }
    }
}
