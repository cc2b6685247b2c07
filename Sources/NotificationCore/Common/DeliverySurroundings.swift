import Platform
import Primitives

/// Time, tasks, threads and randomness of deliveries: the device's or a test's.
struct DeliverySurroundings: Sendable {
    var clock: any Clock<Duration>
    /// Nil for the default.
    var executor: (any TaskExecutor)?
    /// Runs on another thread, which may wait for a disk.
    var runOnThread: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Runs here, on a thread of `runOnThread`, and may block: another thread takes over meanwhile.
    var runBlocking: @Sendable (() -> Void) -> Void = { $0() }
    /// Runs on a new thread and may block.
    var runAlone: @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
    var randomNumber: @Sendable () -> UInt64

    static var ofThisDevice: DeliverySurroundings {
        // A simulated device has its own threads: its hung disk must not block others.
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

    /// False where a test or a simulated device has a clock of its own.
    var isMachineTime: Bool { clock is ContinuousClock && executor == nil }

    /// Waits `duration` from this call, not from the start of the wait.
    func alarm(after duration: Duration) -> @Sendable () async throws -> Void {
        clock.alarm(after: duration)
    }

    /// The caller must keep the task, and cancel it when unneeded.
    func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: executor, operation: body)
    }

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
        // The runtime keeps cancelled timers until their time: 25-second ones would be megabytes in a busy process
        // (measured with Swift 6.3 on Linux).
        let nap = self is ContinuousClock ? .milliseconds(250) : duration
        return {
            while now < end { try await sleep(until: min(end, now.advanced(by: nap)), tolerance: nil) }
        }
    }
}
