package import Envelope
package import Platform
package import PushStore
package import Transport

/// What handlers, dispatcher and hooks share.
package final class ServiceContext: Sendable {
    /// Where requests are read, pushes are sent and everything is decided.
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

    /// As they are now; read once for each request.
    package var settings: ServiceSettings { current.withLock { $0 } }

    /// Takes effect for what begins from now on.
    package func replaceSettings(_ settings: ServiceSettings) { current.withLock { $0 = settings } }
}

/// The time, for tests to move.
package struct ServiceClock: Sendable {
    /// What the queues, the log and the API count in; `steady` says how it is kept from going back.
    package let now: @Sendable () -> Timestamp
    /// Nanoseconds of a clock that never goes back.
    package let uptime: @Sendable () -> Int64
    /// The system's, whatever was said before: for what others hold against their own clocks.
    package let wall: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - now: the time.
    ///   - uptime: nanoseconds.
    ///   - wall: nil: `now`.
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

/// Where lines of the log go: whole lines of JSON, each with its line feed. Never waits: what does not fit is counted and left
/// out.
package struct ServiceLog: Sendable {
    private let put: @Sendable ([UInt8]) -> Void

    package init(_ put: @escaping @Sendable ([UInt8]) -> Void) { self.put = put }

    /// - Parameter lines: one or more, whole.
    package func write(_ lines: [UInt8]) { put(lines) }

    /// One line of an event that is no attempt; nothing secret may be among the values.
    ///
    /// - Parameters:
    ///   - event: one word with hyphens.
    ///   - time: when.
    ///   - members: names and values.
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
