#if !canImport(Darwin)
import Synchronization

/// What iOS would enforce on the code that runs here, and Linux does not: a locked device's files, a full disk, the
/// device's own clock. Only the test harness makes one; without one everything is as on any Linux machine.
///
/// Bound to a task, so that many devices live in one process; an extension that runs in a process of its own has it for
/// the whole process.
package final class SimulatedDevice: Sendable {
    @TaskLocal private static var bound: SimulatedDevice?
    private static let ofProcess = Guarded<SimulatedDevice?>(nil)

    /// Whether there ever was one in this process: without one, nobody who asks for the time looks further.
    private static let hasOne = Atomic(false)

    /// The device that this code runs on; nil on no simulated one.
    package static var current: SimulatedDevice? {
        // Whoever runs on one was started after it was made.
        guard hasOne.load(ordering: .acquiring) else { return nil }
        return bound ?? ofProcess.withLock { $0 }
    }

    /// Whether it was unlocked since it started, and is now.
    package enum Lock: Sendable, CaseIterable {
        case beforeFirstUnlock, locked, unlocked
    }

    /// What becomes of a write to the files that app and extension share.
    package enum Storage: Sendable, CaseIterable {
        case writable, full, readOnly
    }

    /// What may change while code runs on it.
    package struct Conditions: Sendable {
        package var lock = Lock.unlocked
        package var storage = Storage.writable
        /// Whether files without a class of their own are `Complete`: by the app's entitlement for data protection.
        package var isCompleteByDefault = false

        package init() {}
    }

    /// Code that goes on elsewhere than where it was called, for whoever makes time pass.
    package enum Work: Sendable {
        case begins, ends
    }

    /// What the device's network gives for a URL, from an offset on; nil where whoever asked was cancelled.
    package typealias Network = @Sendable (_ url: String, _ offset: UInt64) async -> NetworkAnswer?

    /// Begins work that goes on after an extension has answered, and is told when its time is over, which may be at once;
    /// gives what ends it.
    package typealias Activity = @Sendable (_ expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void

    /// An answer over HTTPS.
    package struct NetworkAnswer: Sendable {
        package let status: Int
        /// What the server says that will come; nil where it does not say.
        package let byteCount: Int?
        /// What comes.
        package let body: [UInt8]

        package init(status: Int, byteCount: Int?, body: [UInt8]) {
            self.status = status
            self.byteCount = byteCount
            self.body = body
        }
    }

    /// A host of the internet that stands somewhere else.
    package struct HostMapping: Sendable, Hashable, Codable {
        package let host: String
        package let port: UInt16
        package let actualHost: String
        package let actualPort: UInt16
        /// A PEM file: who vouches for it.
        package let authoritiesPath: String

        package init(host: String, port: UInt16, actualHost: String, actualPort: UInt16, authoritiesPath: String) {
            self.host = host
            self.port = port
            self.actualHost = actualHost
            self.actualPort = actualPort
            self.authoritiesPath = authoritiesPath
        }
    }

    /// A folder with one folder for each app group; nil for what the environment says.
    package let appGroupsPath: String?
    /// Nil for the machine's.
    package let network: Network?
    /// Of the machine's network, what is somewhere else for this device.
    package let hosts: [HostMapping]
    /// Measures how long something takes.
    package let clock: any Clock<Duration>
    /// What answers for the system's centers on it, as whoever made the device and whoever asks for it agree; nil for
    /// nothing.
    package let system: (any Sendable)?
    private let wallClock: @Sendable () -> UInt64
    private let uptimeClock: @Sendable () -> Uptime
    private let activity: Activity?
    private let onWork: @Sendable (Work) -> Void
    private let state: Guarded<Conditions>

    /// - Parameters:
    ///   - appGroupsPath: a folder with one folder for each app group; nil for what the environment says.
    ///   - clock: measures how long something takes.
    ///   - system: what answers for the system's centers.
    ///   - wallClock: the date that the device shows, in milliseconds since 1970.
    ///   - uptime: since when the device runs; the machine's unless told.
    ///   - network: what the device reaches; nil for what the machine does.
    ///   - hosts: of the machine's network, what is somewhere else for this device.
    ///   - activity: holds the process; nil where nothing ends or suspends it.
    ///   - onWork: is told when `run` begins and ends, and when a `job` is handed out and has ended.
    ///   - conditions: at first.
    package init(
        appGroupsPath: String?,
        clock: any Clock<Duration>,
        system: (any Sendable)? = nil,
        wallClock: @escaping @Sendable () -> UInt64,
        uptime: @escaping @Sendable () -> Uptime = { .ofMachine },
        network: Network? = nil,
        hosts: [HostMapping] = [],
        activity: Activity? = nil,
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
        self.onWork = onWork
        state = Guarded(conditions)
        Self.hasOne.store(true, ordering: .releasing)
    }

    package var millisecondsSince1970: UInt64 { wallClock() }
    package var uptime: Uptime { uptimeClock() }

    /// - Parameter expired: called when the time is over.
    /// - Returns: what is called when the work is done.
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

    /// The same for later, on whatever thread calls the result, which is to be called once: it is at work from now on.
    package func job(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        onWork(.begins)
        return { [self] in
            defer { onWork(.ends) }
            bind(body)
        }
    }

    /// The same for a caller that keeps time from passing itself.
    package func bind<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result {
        let result = Self.$bound.withValue(self) {
            do throws(E) { return Swift.Result<Result, E>.success(try body()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// All of this process runs on this device from now on.
    package func occupyProcess() { Self.ofProcess.withLock { $0 = self } }
}
#endif
