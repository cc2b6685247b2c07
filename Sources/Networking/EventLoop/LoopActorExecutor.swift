/// Loop as the executor of actors.
///
/// Not the loop itself, which is one of tasks: a job does not say in which role its executor was chosen, and a task that
/// runs in an actor's name is queued again at its next `await`.
///
/// Unchecked Sendable: the loop's `init` sets the only variable, before its thread starts.
final class LoopActorExecutor: SerialExecutor, @unchecked Sendable {
    /// Actors on the loop retain it.
    unowned var loop: EventLoop?

    func enqueue(_ job: consuming ExecutorJob) {
        owner.enqueueForActor(UnownedJob(job))
    }

    func isIsolatingCurrentContext() -> Bool? {
        owner.isOnLoop
    }

    func checkIsolated() {
        owner.checkIsolated()
    }

    private var owner: EventLoop {
        guard let loop else { preconditionFailure("the loop is not made yet") }
        return loop
    }
}
