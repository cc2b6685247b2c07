#if !canImport(Darwin)
import Synchronization

/// iOS's restrictions, simulated on Linux: a locked device's files, a full disk, the device's own clock. Only the test
/// harness makes one; without one everything is as on any Linux machine.
///
/// Bound to a task, so that many devices live in one process; to the whole process for an extension in its own.
package final class SimulatedDevice: Sendable {
    @TaskLocal private static var bound: SimulatedDevice?
    private static let ofProcess = Guarded<SimulatedDevice?>(nil)

    /// True once a device was made here: without one, reading the time needs no further look-up.
    private static let hasOne = Atomic(false)

    /// Current code's device; nil without a simulated one.
    package static var current: SimulatedDevice? {
        // Code on a device starts after the device was made.
        guard hasOne.load(ordering: .acquiring) else { return nil }
        return bound ?? ofProcess.withLock { $0 }
    }

    /// Lock state since the device started.
    package enum Lock: Sendable, CaseIterable {
        case beforeFirstUnlock, locked, unlocked
    }

    /// Result of writes to the files that app and extension share.
    package enum Storage: Sendable, CaseIterable {
        case writable, full, readOnly
    }

    /// State that may change while code runs.
    package struct Conditions: Sendable {
        package var lock = Lock.unlocked
        package var storage = Storage.writable
        /// Without their own class, files are `Complete`, by the app's entitlement for data protection.
        package var isCompleteByDefault = false

        package init() {}
    }

    /// Begin and end of work, reported to the simulated clock.
    package enum Work: Sendable {
        case begins, ends
    }

    /// Device's network: answers a URL from an offset on; nil if the caller was cancelled.
    package typealias Network = @Sendable (_ url: String, _ offset: UInt64) async -> NetworkAnswer?

    /// Begins work that outlasts an extension's answer. Calls `expired` when its time is over, possibly at once;
    /// returns the function that ends the work.
    package typealias Activity = @Sendable (_ expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void

    package struct NetworkAnswer: Sendable {
        package let status: Int
        /// Length that the server declares; nil without one.
        package let byteCount: Int?
        /// Bytes that arrive.
        package let body: [UInt8]

        package init(status: Int, byteCount: Int?, body: [UInt8]) {
            self.status = status
            self.byteCount = byteCount
            self.body = body
        }
    }

    package struct HostMapping: Sendable, Hashable, Codable {
        package let host: String
        package let port: UInt16
        package let actualHost: String
        package let actualPort: UInt16
        /// PEM file of the trusted authorities.
        package let authoritiesPath: String

        package init(host: String, port: UInt16, actualHost: String, actualPort: UInt16, authoritiesPath: String) {
            self.host = host
            self.port = port
            self.actualHost = actualHost
            self.actualPort = actualPort
            self.authoritiesPath = authoritiesPath
        }
    }

    /// Folder with one folder for each app group; nil for the environment's value.
    package let appGroupsPath: String?
    /// Nil for the machine's.
    package let network: Network?
    /// Replaced hosts of the machine's network.
    package let hosts: [HostMapping]
    package let clock: any Clock<Duration>
    /// Implementation behind the system's centers, untyped because another module's; nil for none.
    package let system: (any Sendable)?
    private let wallClock: @Sendable () -> UInt64
    private let uptimeClock: @Sendable () -> Uptime
    private let activity: Activity?
    private let availableMemory: @Sendable () -> Int
    private let onWork: @Sendable (Work) -> Void
    private let state: Guarded<Conditions>

    /// - Parameters:
    ///   - wallClock: Device's date in milliseconds since 1970.
    ///   - uptime: Time since the device's start; by default the machine's.
    ///   - activity: Keeps the process running; nil if nothing ends or suspends it.
    ///   - availableMemory: Bytes until the process's limit.
    ///   - onWork: Called when `run` begins and ends, and when a `job` is handed out and has ended.
    package init(
        appGroupsPath: String?,
        clock: any Clock<Duration>,
        system: (any Sendable)? = nil,
        wallClock: @escaping @Sendable () -> UInt64,
        uptime: @escaping @Sendable () -> Uptime = { .ofMachine },
        network: Network? = nil,
        hosts: [HostMapping] = [],
        activity: Activity? = nil,
        availableMemory: @escaping @Sendable () -> Int = { 0 },
        onWork: @escaping @Sendable (Work) -> Void = { _ in },
        conditions: Conditions = Conditions()
    ) {
        self.appGroupsPath = appGroupsPath
        self.clock = clock
        self.system = system
        self.wallClock = wallClock
        uptimeClock = uptime
        self.network = network
        self.hosts = hosts
        self.activity = activity
        self.availableMemory = availableMemory
        self.onWork = onWork
        state = Guarded(conditions)
        Self.hasOne.store(true, ordering: .releasing)
    }

    package var millisecondsSince1970: UInt64 { wallClock() }
    package var uptime: Uptime { uptimeClock() }
    package var availableMemoryByteCount: Int { availableMemory() }

    /// - Returns: Function to call when the work is done.
    package func beginActivity(_ expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        guard let activity else { return {} }
        return activity(expired)
    }

    package var conditions: Conditions { state.withLock { $0 } }

    package func change(_ change: (inout Conditions) -> Void) { state.withLock { change(&$0) } }

    /// Runs `body`, and every task made in it, on this device.
    package func run<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result {
        onWork(.begins)
        defer { onWork(.ends) }
        return try bind(body)
    }

    /// Wraps `body` for any thread, to be called once; the work counts as begun at once.
    package func job(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        onWork(.begins)
        return { [self] in
            defer { onWork(.ends) }
            bind(body)
        }
    }

    /// Binds `body` without reporting work, for a caller that holds the clock itself.
    package func bind<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result {
        let result = Self.$bound.withValue(self) {
            do throws(E) { return Swift.Result<Result, E>.success(try body()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    package func occupyProcess() { Self.ofProcess.withLock { $0 = self } }
}
#endif
