import Envelope
import PushStore

/// Endpoint that was pushed to, with its counts.
///
/// Unchecked: its counts are those of one `EndpointCounts`, which a lock guards.
final class CountedEndpoint: @unchecked Sendable {
    let id: EndpointID
    let endpoint: PushEndpoint
    let app: GatewayApp
    let deviceKey: DeviceBucket.Key
    fileprivate var appIndex = 0
    fileprivate var hour: Int64 = 0
    fileprivate var recent = GatewayCounts()
    fileprivate var earlier = GatewayCounts()
    /// Not in the store yet.
    fileprivate var unsaved = GatewayCounts()

    init(_ endpoint: PushEndpoint, _ app: GatewayApp) {
        id = EndpointID(endpoint.hash)
        self.endpoint = endpoint
        self.app = app
        deviceKey = DeviceBucket.Key(shardHash: UInt64(bitPattern: Int64(endpoint.device.hashValue)))
    }

    fileprivate func counts(in hour: Int64) -> GatewayCounts {
        guard hour - self.hour <= 1 else { return GatewayCounts() }
        var sum = recent
        if hour == self.hour { sum += earlier }
        return sum
    }

    fileprivate func note(isAccepted: Bool, in hour: Int64) {
        if hour != self.hour {
            (earlier, recent) = (hour - self.hour == 1 ? recent : GatewayCounts(), GatewayCounts())
            self.hour = hour
        }
        recent.note(isAccepted: isAccepted)
        unsaved.note(isAccepted: isAccepted)
    }
}

/// Counts of servers' pushes, by endpoint and app, in bounded memory. Nothing of a push but its result.
///
/// Saving an endpoint's count costs the store a page, so it is done for many pushes at once.
struct EndpointCounts: Sendable {
    /// Endpoints counted at one time; pushes to others count for their app alone.
    static let endpointCountMax = 20_000
    /// Endpoints saved at one time: a few milliseconds of the store.
    static let savedCountMax = 500
    /// Time for which an endpoint's counts are in memory alone.
    static let saveInterval: Int64 = 600_000_000_000
    private static let busiestCountMax = 100
    private static let hour: Int64 = 3_600_000_000_000

    private var rows: [EndpointID: CountedEndpoint] = [:]
    /// Endpoints with unsaved counts, each once.
    private var unsaved: [CountedEndpoint] = []
    private var apps: [(app: GatewayApp, unsaved: GatewayCounts)] = []
    private var appIndices: [GatewayApp: Int] = [:]
    private var savesAt = Int64.min
    private var sweepsAt = Int64.min

    /// - Returns: nil without an earlier push.
    func known(_ id: EndpointID) -> CountedEndpoint? { rows[id] }

    /// - Returns: an endpoint's counts that are not in the store yet.
    func unsavedCounts(_ id: EndpointID) -> GatewayCounts { rows[id]?.unsaved ?? GatewayCounts() }

    /// - Parameters:
    ///   - endpoint: known or new.
    ///   - now: nanoseconds of a monotonic clock.
    mutating func note(_ endpoint: CountedEndpoint, isAccepted: Bool, now: Int64) {
        var row = rows[endpoint.id]
        if row == nil {
            if rows.count >= Self.endpointCountMax { sweep(now: now) }
            endpoint.appIndex = index(of: endpoint.app)
            if rows.count < Self.endpointCountMax {
                rows[endpoint.id] = endpoint
                row = endpoint
            }
        }
        apps[(row ?? endpoint).appIndex].unsaved.note(isAccepted: isAccepted)
        guard let row else { return }
        if row.unsaved.sum == 0 {
            if unsaved.isEmpty { savesAt = now + Self.saveInterval }
            unsaved.append(row)
        }
        row.note(isAccepted: isAccepted, in: now / Self.hour)
    }

    private mutating func index(of app: GatewayApp) -> Int {
        if let index = appIndices[app] { return index }
        apps.append((app, GatewayCounts()))
        appIndices[app] = apps.count - 1
        return apps.count - 1
    }

    /// Drops saved endpoints without pushes in this hour and the last; once a minute.
    private mutating func sweep(now: Int64) {
        guard now >= sweepsAt else { return }
        rows = rows.filter { $0.value.unsaved.sum > 0 || now / Self.hour - $0.value.hour <= 1 }
        sweepsAt = now + 60_000_000_000
    }

    /// Drops an endpoint that was revoked.
    mutating func forget(_ id: EndpointID) { rows[id] = nil }

    /// - Returns: a tenant's endpoints with the most pushes in this hour and the last.
    func busiest(of tenant: TenantID, now: Int64) -> [(endpoint: PushEndpoint, counts: GatewayCounts)] {
        let own = rows.values.filter { $0.app.tenant == tenant }
            .map { (endpoint: $0.endpoint, counts: $0.counts(in: now / Self.hour)) }
        let busy = own.filter { $0.counts.sum > 0 }.sorted { $0.counts.sum > $1.counts.sum }
        return Array(busy.prefix(Self.busiestCountMax))
    }

    // MARK: Saving

    /// Takes what is to be saved: apps' counts, and when it is time, those of some endpoints.
    ///
    /// - Parameter isLast: true to take all.
    mutating func takeUnsaved(now: Int64, isLast: Bool = false) -> (deltas: GatewayDeltas, hasMore: Bool) {
        var deltas = GatewayDeltas()
        for index in apps.indices where apps[index].unsaved.sum > 0 {
            deltas.apps[apps[index].app] = apps[index].unsaved
            apps[index].unsaved = GatewayCounts()
        }
        guard isLast || now >= savesAt || unsaved.count >= Self.endpointCountMax / 2 else { return (deltas, false) }
        let taken = unsaved.prefix(isLast ? .max : Self.savedCountMax)
        for row in taken {
            deltas.endpoints[row.endpoint.hash] = row.unsaved
            row.unsaved = GatewayCounts()
        }
        unsaved.removeFirst(taken.count)
        return (deltas, !unsaved.isEmpty)
    }

    /// Counts what could not be saved with the next.
    mutating func giveBack(_ deltas: GatewayDeltas) {
        for (app, counts) in deltas.apps { apps[index(of: app)].unsaved += counts }
        for (hash, counts) in deltas.endpoints {
            guard let row = rows[EndpointID(hash)] else { continue }
            if row.unsaved.sum == 0 { unsaved.append(row) }
            row.unsaved += counts
        }
    }
}
