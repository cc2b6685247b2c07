import Platform
import Primitives

/// What deliveries happen in: time, tasks, threads and chance. The device's own, or those of a test that decides what runs
/// next.
struct DeliverySurroundings: Sendable {
    /// Measures deadlines.
    var clock: any Clock<Duration>
    /// Where tasks run; nil for everywhere.
    var executor: (any TaskExecutor)?
    /// Runs what may wait for a disk, elsewhere than here.
    var runOnThread: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Runs what may block for any time, here, on a thread that `runOnThread` gave: another takes its place meanwhile.
    var runBlocking: @Sendable (() -> Void) -> Void = { $0() }
    /// The same elsewhere, on a thread of its own.
    var runAlone: @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
    /// Evenly distributed.
    var randomNumber: @Sendable () -> UInt64

    /// Of the device that this code runs on.
    static var ofThisDevice: DeliverySurroundings {
        // A simulated device has its own: one whose disk hangs must not hold the others in a test.
        let threads = DeviceBinding().isSimulated ? WorkerThreads() : .ofProcess
        return DeliverySurroundings(
            clock: DeviceRules.clock,
            executor: nil,
            runOnThread: { threads.run($0) },
            runBlocking: { threads.lend($0) },
            runAlone: { WorkerThreads.runAlone($0) },
            randomNumber: {
                var random = SystemRandom()
                return random.bytes(count: 8).reduce(0) { $0 << 8 | UInt64($1) }
            }
        )
    }

    /// Whether time is nobody's but the machine's: not a test's, and not a simulated device's.
    var isMachineTime: Bool { clock is ContinuousClock && executor == nil }

    /// Waits until that long from now: from this call on, not from when the waiting begins. Throws when it is cancelled.
    func alarm(after duration: Duration) -> @Sendable () async throws -> Void {
        clock.alarm(after: duration)
    }

    /// Whoever calls it keeps the task, and cancels it when its result counts no more.
    func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: executor, operation: body)
    }

    /// What may wait for a disk, for code that must not.
    func resultFromThread<Result: Sendable>(of body: @escaping @Sendable () -> Result) async -> Result {
        let device = DeviceBinding()
        return await withCheckedContinuation { continuation in
            runOnThread(device.job { continuation.resume(returning: body()) })
        }
    }
}

extension Clock where Duration == Swift.Duration {
    fileprivate func alarm(after duration: Duration) -> @Sendable () async throws -> Void {
        let end = now.advanced(by: duration)
        // The runtime keeps a timer until its time, also when nobody waits for it any more: those of 25 seconds would be
        // megabytes in a busy process (measured with Swift 6.3 on Linux).
        let nap = self is ContinuousClock ? .milliseconds(250) : duration
        return {
            while now < end { try await sleep(until: min(end, now.advanced(by: nap)), tolerance: nil) }
        }
    }
}
