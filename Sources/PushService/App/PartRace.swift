import Networking
import Platform

/// Race of a part's drain against its deadline, on the loop.
final class PartRace {
    /// Extra time for checking the deadline.
    private static let grace: Duration = .milliseconds(200)

    private var continuation: CheckedContinuation<Bool, Never>?
    private var timer: LoopTimer?

    private init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = continuation }

    /// - Returns: false for an abandoned part.
    static func drain(_ part: any ServicePart, until deadline: MonotonicTime, on loop: EventLoop) async -> Bool {
        await withCheckedContinuation { continuation in
            let race = LoopBound(PartRace(continuation), to: loop)
            loop.perform {
                let rest = max(.zero, deadline - .now())
                race.value.timer = loop.schedule(after: rest + grace) { race.value.end(isInTime: false) }
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
