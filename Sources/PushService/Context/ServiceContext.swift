package import Envelope
package import Networking
package import Platform
package import PushStore

package final class ServiceContext: Sendable {
    /// Runs requests, pushes and decisions.
    package let loop: EventLoop
    package let store: SQLiteStore
    package let clock: ServiceClock
    package let log: ServiceLog
    package let collapseKey: CollapseKey
    package let metrics: Guarded<ServiceMetrics>
    private let current: Guarded<ServiceSettings>

    package init(
        loop: EventLoop,
        store: SQLiteStore,
        clock: ServiceClock,
        log: ServiceLog,
        collapseKey: consuming CollapseKey,
        settings: ServiceSettings
    ) {
        self.loop = loop
        self.store = store
        self.clock = clock
        self.log = log
        self.collapseKey = collapseKey
        metrics = Guarded(ServiceMetrics(apps: settings.bundleIDs))
        current = Guarded(settings)
    }

    /// Read once for each request.
    package var settings: ServiceSettings { current.withLock { $0 } }

    package func replaceSettings(_ settings: ServiceSettings) { current.withLock { $0 = settings } }
}

/// Clocks, replaceable by tests.
package struct ServiceClock: Sendable {
    /// Time of queues, log and API; `steady` keeps it from going back.
    package let now: @Sendable () -> Timestamp
    /// Nanoseconds of a monotonic clock.
    package let uptime: @Sendable () -> Int64
    /// The system's time, which others compare with their own clocks.
    package let wall: @Sendable () -> Timestamp

    /// - Parameter wall: nil: `now`.
    package init(
        now: @escaping @Sendable () -> Timestamp,
        uptime: @escaping @Sendable () -> Int64,
        wall: (@Sendable () -> Timestamp)? = nil
    ) {
        self.now = now
        self.uptime = uptime
        self.wall = wall ?? now
    }
}

/// Lines of JSON. Never blocks: lines without room are counted and dropped.
package struct ServiceLog: Sendable {
    private let put: @Sendable ([UInt8]) -> Void

    package init(_ put: @escaping @Sendable ([UInt8]) -> Void) { self.put = put }

    /// - Parameter lines: one or more, each with its line feed.
    package func write(_ lines: [UInt8]) { put(lines) }

    /// No value may be secret.
    package func event(_ event: StaticString, at time: Timestamp, _ members: [(StaticString, String)] = []) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("time", ISODateTime.text(milliseconds: Int64(clamping: time.milliseconds)))
            writer.member("event", event.description)
            for (name, value) in members { writer.member(name.description, value) }
        }
        put(writer.bytes + [UInt8(ascii: "\n")])
    }
}
