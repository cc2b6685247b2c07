import Platform
internal import UserNotifications

/// A clock that stands still until it is advanced.
///
/// A `Device` advances its clock by itself, or leaves that to the test:
///
///     let clock = SimulatedClock()
///     let device = Device(.init().with { $0.timekeeping = .byHand }, clock: clock) { NotificationService() }
///     async let shown = device.deliver(payload)
///     await clock.waitForSleepers()
///     clock.advance(by: .seconds(30))
public final class SimulatedClock: Clock, Sendable {
    /// Point in the clock's own time.
    public struct Instant: InstantProtocol {
        /// Time since the clock was made.
        public var offset: Duration

        /// The point that much later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// Time from this point to another.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Orders by time.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }

    /// State by which `PassageOfTime` decides.
    struct Reading: Sendable, Equatable {
        var now = Instant(offset: .zero)
        /// Earliest deadline of all sleepers.
        var nextDeadline: Instant?
        /// Sleepers other than the system's.
        var sleeperCount = 0
        /// Running work during which no time is to pass.
        var holdCount = 0
        /// True while a test asks that no time pass at all.
        var isStandingStill = false
        /// Changes with every event on the clock.
        var changeCount = 0
    }

    private struct Sleeper {
        let deadline: Instant
        let isSystem: Bool
        /// Screen of the sleeping code's device.
        let screen: ObjectIdentifier?
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var lastID = 0
        var sleepers: [Int: Sleeper] = [:]
        var watchers: [(sleeperCount: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var holdCount = 0
        var stillCount = 0
        var changeCount = 0

        mutating func takeSleepersDue() -> [Sleeper] {
            let due = sleepers.filter { $0.value.deadline <= now }.sorted {
                ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key)
            }
            for (id, _) in due { sleepers.removeValue(forKey: id) }
            return due.map(\.value)
        }

        mutating func takeWatchersDue() -> [CheckedContinuation<Void, Never>] {
            guard holdCount == 0, stillCount == 0 else { return [] }
            let sleeperCount = sleepers.count
            defer { watchers.removeAll { $0.sleeperCount <= sleeperCount } }
            return watchers.filter { $0.sleeperCount <= sleeperCount }.map(\.continuation)
        }
    }

    private let state = Guarded(State())
    private let startUptime = Uptime.ofMachine

    /// Creates a clock at zero.
    public init() {}

    /// Clock's time.
    public var now: Instant { state.withLock { $0.now } }

    /// Uptime of a device with this clock: the machine's when the clock was made, and the clock's own time since.
    var uptime: Uptime { startUptime.advanced(byMilliseconds: UInt64(clamping: Int(now.offset / .milliseconds(1)))) }

    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Sleeps until the clock has been advanced to the deadline.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await sleep(until: deadline, isSystem: false)
    }

    /// Sleeps for the extension or the system, whose waits the time rule tells apart.
    func sleep(until deadline: Instant, isSystem: Bool) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let screen = SimulatedDevice.current?.system.map { ObjectIdentifier($0 as AnyObject) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                add(Sleeper(deadline: deadline, isSystem: isSystem, screen: screen, continuation: $0), id: id)
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.changeCount += 1
                return state.sleepers.removeValue(forKey: id)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Cancels the sleepers of a released device: its time has stopped, and they and this clock would keep each other
    /// alive.
    func cancelSleepers(on screen: ObjectIdentifier) {
        let sleepers = state.withLock { state in
            let ids = state.sleepers.filter { $0.value.screen == screen }.keys.sorted()
            state.changeCount += 1
            return ids.compactMap { state.sleepers.removeValue(forKey: $0) }
        }
        for sleeper in sleepers { sleeper.continuation.resume(throwing: CancellationError()) }
    }

    /// Advances time and wakes every sleeper that is due, the earliest first.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            state.changeCount += 1
            return state.takeSleepersDue()
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Advances time, unless the clock had an event since the reading.
    ///
    /// - Returns: true if time was advanced.
    func advance(to instant: Instant, unlessChangedSince reading: Reading) -> Bool {
        let due: [Sleeper]? = state.withLock { state in
            guard state.changeCount == reading.changeCount else { return nil }
            state.now = max(state.now, instant)
            state.changeCount += 1
            return state.takeSleepersDue()
        }
        for sleeper in due ?? [] { sleeper.continuation.resume() }
        return due != nil
    }

    /// Waits until at least `count` sleepers wait and time is not held; an earlier advance would miss them.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let reached = state.withLock { state in
                state.watchers.append((count, continuation))
                return state.takeWatchersDue()
            }
            for watcher in reached { watcher.resume() }
        }
    }

    /// Runs `body` while time on a device with this clock stands still: for work that should take none there, such as a
    /// stub server's answer.
    public func standingStill<Result, E: Error>(
        while body: () async throws(E) -> Result
    ) async throws(E) -> Result {
        change { $0.stillCount += 1 }
        defer { change { $0.stillCount -= 1 } }
        return try await body()
    }

    func hold() {
        change { $0.holdCount += 1 }
    }

    func release() {
        change { $0.holdCount -= 1 }
    }

    private func change(_ change: @Sendable (inout State) -> Void) {
        let reached = state.withLock { state in
            change(&state)
            state.changeCount += 1
            return state.takeWatchersDue()
        }
        for watcher in reached { watcher.resume() }
    }

    var reading: Reading {
        state.withLock { state in
            Reading(
                now: state.now,
                nextDeadline: state.sleepers.values.map(\.deadline).min(),
                sleeperCount: state.sleepers.values.count { !$0.isSystem },
                holdCount: state.holdCount,
                isStandingStill: state.stillCount > 0,
                changeCount: state.changeCount
            )
        }
    }

    private func add(_ sleeper: Sleeper, id: Int) {
        let reached = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.changeCount += 1
            // Under the lock: a cancellation handler that ran before this sleeper was added set the flag.
            if Task.isCancelled {
                sleeper.continuation.resume(throwing: CancellationError())
                return []
            }
            guard state.now < sleeper.deadline else {
                sleeper.continuation.resume()
                return []
            }
            state.sleepers[id] = sleeper
            return state.takeWatchersDue()
        }
        for watcher in reached { watcher.resume() }
    }
}
