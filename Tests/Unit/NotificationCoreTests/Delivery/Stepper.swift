import Platform

@testable import NotificationCore

/// Runs one job at a time, in the test's order: jobs of tasks, work for threads, and time.
final class Stepper: TaskExecutor {
    private enum Job {
        case task(UnownedJob)
        case thread(@Sendable () -> Void)
    }

    let clock = StepClock()
    private let jobs = Guarded<[Job]>([])

    var jobCount: Int { jobs.withLock { $0.count } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(.task(job)) }
    }

    /// - Parameter index: below `jobCount`.
    func run(_ index: Int) {
        let job = jobs.withLock { $0.remove(at: index) }
        switch job {
        case .task(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        case .thread(let work): work()
        }
    }

    func runToTheEnd() {
        while true {
            if jobCount > 0 { run(0) } else if !clock.wakeNext() { return }
        }
    }

    func surroundings(randomNumber: UInt64 = 0) -> DeliverySurroundings {
        DeliverySurroundings(
            clock: clock,
            executor: self,
            runOnThread: { [self] work in jobs.withLock { $0.append(.thread(work)) } },
            randomNumber: { randomNumber }
        )
    }
}
