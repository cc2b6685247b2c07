package import Networking
package import Platform
package import PushStore
package import ServiceParts

package final class ServiceContext: Sendable {
    /// Runs requests, pushes and decisions.
    package let loop: EventLoop
    package let store: SQLiteStore
    package let shards: ShardTenure
    package let clock: ServiceClock
    package let log: ServiceLog
    package let collapseKey: CollapseKey
    package let metrics: Guarded<ServiceMetrics>
    package let spans = Guarded(SpanQueue())
    let certificates = Guarded(CertificateEnds())
    private let current: Guarded<ServiceSettings>

    /// - Parameter shards: nil: the opening's, without a deadline.
    package init(
        loop: EventLoop,
        store: SQLiteStore,
        clock: ServiceClock,
        log: ServiceLog,
        collapseKey: consuming CollapseKey,
        settings: ServiceSettings,
        shards: ShardTenure? = nil
    ) {
        self.loop = loop
        self.store = store
        self.shards = shards ?? ShardTenure(store.openingReport.leases)
        self.clock = clock
        self.log = log
        self.collapseKey = collapseKey
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

    package func replaceSettings(_ settings: ServiceSettings) { current.withLock { $0 = settings } }
}
