import Envelope
import PushStore

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

    /// Endpoint with pushes in this hour or the last.
    struct Busy: Sendable {
        let endpoint: PushEndpoint
        let app: GatewayApp
        /// Of the same app as another's.
        fileprivate let appIndex: Int
        fileprivate var hour: Int64 = 0
        fileprivate var recent = GatewayCounts()
        fileprivate var earlier = GatewayCounts()
        /// Not in the store yet.
        fileprivate(set) var unsaved = GatewayCounts()

        func counts(in hour: Int64) -> GatewayCounts {
            guard hour - self.hour <= 1 else { return GatewayCounts() }
            var sum = recent
            if hour == self.hour { sum += earlier }
            return sum
        }

        fileprivate mutating func note(isAccepted: Bool, in hour: Int64) {
            if hour != self.hour {
                (earlier, recent) = (hour - self.hour == 1 ? recent : GatewayCounts(), GatewayCounts())
                self.hour = hour
            }
            recent.note(isAccepted: isAccepted)
            unsaved.note(isAccepted: isAccepted)
        }
    }

    private var rows: [EndpointID: Busy] = [:]
    /// Endpoints with unsaved counts, each once.
    private var unsaved: [EndpointID] = []
    private var apps: [(app: GatewayApp, unsaved: GatewayCounts)] = []
    private var appIndices: [GatewayApp: Int] = [:]
    private var savesAt = Int64.min
    private var sweepsAt = Int64.min

    /// Endpoint and app of an earlier push.
    func busy(_ id: EndpointID) -> Busy? { rows[id] }

    /// - Parameter now: nanoseconds of a monotonic clock.
    mutating func note(_ endpoint: PushEndpoint, _ id: EndpointID, _ app: GatewayApp, isAccepted: Bool, now: Int64) {
        if let index = rows.index(forKey: id) { return note(at: index, id, isAccepted: isAccepted, now: now) }
        let appIndex = index(of: app)
        if rows.count >= Self.endpointCountMax { sweep(now: now) }
        guard rows.count < Self.endpointCountMax else { return apps[appIndex].unsaved.note(isAccepted: isAccepted) }
        rows[id] = Busy(endpoint: endpoint, app: apps[appIndex].app, appIndex: appIndex)
        if let index = rows.index(forKey: id) { note(at: index, id, isAccepted: isAccepted, now: now) }
    }

    /// Counts a push to a known endpoint that was refused before it was looked up.
    mutating func noteRefused(_ id: EndpointID, now: Int64) {
        if let index = rows.index(forKey: id) { note(at: index, id, isAccepted: false, now: now) }
    }

    private mutating func note(
        at index: Dictionary<EndpointID, Busy>.Index,
        _ id: EndpointID,
        isAccepted: Bool,
        now: Int64
    ) {
        if rows.values[index].unsaved.sum == 0 {
            if unsaved.isEmpty { savesAt = now + Self.saveInterval }
            unsaved.append(id)
        }
        rows.values[index].note(isAccepted: isAccepted, in: now / Self.hour)
        apps[rows.values[index].appIndex].unsaved.note(isAccepted: isAccepted)
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
    func busiest(of tenant: TenantID, now: Int64) -> [(busy: Busy, counts: GatewayCounts)] {
        let own = rows.values.filter { $0.app.tenant == tenant }
            .map { (busy: $0, counts: $0.counts(in: now / Self.hour)) }
        return Array(own.filter { $0.counts.sum > 0 }.sorted { $0.counts.sum > $1.counts.sum }.prefix(Self.busiestCountMax))
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
        for id in taken {
            guard let row = rows[id] else { continue }
            deltas.endpoints[row.endpoint.hash] = row.unsaved
            rows[id]?.unsaved = GatewayCounts()
        }
        unsaved.removeFirst(taken.count)
        return (deltas, !unsaved.isEmpty)
    }

    /// Counts what could not be saved with the next.
    mutating func giveBack(_ deltas: GatewayDeltas) {
        for (app, counts) in deltas.apps { apps[index(of: app)].unsaved += counts }
        for (hash, counts) in deltas.endpoints {
            let id = EndpointID(hash)
            guard let row = rows[id] else { continue }
            if row.unsaved.sum == 0 { unsaved.append(id) }
            rows[id]?.unsaved += counts
        }
    }
}
