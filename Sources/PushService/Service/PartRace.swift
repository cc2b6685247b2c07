import Transport

/// A part's end against its deadline: the service waits for whichever comes first. Lives on the loop.
final class PartRace {
    /// What a part needs to come back after its own look at the deadline.
    private static let grace: Duration = .milliseconds(200)

    private var continuation: CheckedContinuation<Bool, Never>?
    private var timer: LoopTimer?

    private init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = continuation }

    /// - Returns: whether the part came back in time; one that did not is left alone.
    static func drain(_ part: any ServicePart, until deadline: MonotonicTime, on loop: EventLoop) async -> Bool {
        await withCheckedContinuation { continuation in
            let race = LoopBound(PartRace(continuation), to: loop)
            loop.perform {
                let rest = max(.zero, deadline - .now())
                race.value.timer = loop.schedule(after: rest + grace) { race.value.end(isInTime: false) }
                // Its end is the race's, and the process's is soon after.
                Task(executorPreference: loop) {
                    await part.drain(until: deadline)
                    loop.perform { race.value.end(isInTime: true) }
                }
            }
        }
    }

    private func end(isInTime: Bool) {
        timer?.cancel()
        timer = nil
        continuation?.resume(returning: isInTime)
        continuation = nil
    }
}
