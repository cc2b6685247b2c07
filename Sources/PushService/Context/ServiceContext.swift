package import Networking
package import Platform
package import PushStore
package import ServiceParts

package final class ServiceContext: Sendable {
    /// Runs requests, pushes and decisions.
    package let loop: EventLoop
    package let store: any RelayStore
    package let shards: ShardTenure
    package let clock: ServiceClock
    package let log: ServiceLog
    package let collapseKey: CollapseKey
    package let challengeKey: ChallengeKey
    package let metrics: Guarded<ServiceMetrics>
    package let spans = Guarded(SpanQueue())
    let certificates = Guarded(CertificateEnds())
    let endpointCounts = Guarded(EndpointCounts())
    /// Servers that tenants keep out. Another relay's changes come within seconds.
    let endpointBlocks = Guarded<Set<EndpointBlock>>([])
    private let current: Guarded<ServiceSettings>

    package init(
        loop: EventLoop,
        store: any RelayStore,
        clock: ServiceClock,
        log: ServiceLog,
        collapseKey: consuming CollapseKey,
        challengeKey: consuming ChallengeKey = ChallengeKey(),
        settings: ServiceSettings,
        shards: ShardTenure
    ) {
        self.loop = loop
        self.store = store
        self.shards = shards
        self.clock = clock
        self.log = log
        self.collapseKey = collapseKey
        self.challengeKey = challengeKey
        metrics = Guarded(ServiceMetrics(apps: settings.bundleIDs))
        current = Guarded(settings)
    }

    /// Read once for each request.
    package var settings: ServiceSettings { current.withLock { $0 } }

    /// Queues a span if its trace is sampled and there is a collector.
    func record(_ parent: TraceContext?, _ span: (TraceContext) -> TraceSpan) {
        guard let parent, parent.isSampled, settings.configuration.spans != nil else { return }
        let made = span(parent)
        spans.withLock { $0.add(made) }
    }

    /// Logs results that the store refused, as another relay owns their shards.
    func noteLate(_ count: Int) {
        guard count > 0 else { return }
        log.event("late-owner", .warning, at: clock.now(), [("count", count)])
    }

    /// Reads the servers that tenants keep out.
    func loadEndpointBlocks() async throws(StoreError) {
        let blocks = try await store.endpointBlocks()
        endpointBlocks.withLock { $0 = blocks }
    }

    /// Saves counts of servers' pushes.
    ///
    /// - Parameter isLast: true to save all.
    /// - Returns: true if there is more to save now.
    @discardableResult
    func saveEndpointCounts(isLast: Bool = false) async throws(StoreError) -> Bool {
        let now = clock.uptime()
        let (deltas, hasMore) = endpointCounts.withLock { $0.takeUnsaved(now: now, isLast: isLast) }
        guard !deltas.isEmpty else { return hasMore }
        do throws(StoreError) { try await store.add(deltas) } catch {
            endpointCounts.withLock { $0.giveBack(deltas) }
            throw error
        }
        return hasMore
    }

    package func replaceSettings(_ settings: ServiceSettings) { current.withLock { $0 = settings } }
}
