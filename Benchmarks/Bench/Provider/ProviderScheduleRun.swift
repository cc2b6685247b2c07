private import APNS
private import APNSProvider
private import APNSSimulator
internal import Networking
private import Platform

/// Carries out one schedule: everything is sent at once, and the wait for a hanging send is bounded.
struct ProviderScheduleRun: Sendable {
    /// Far beyond every deadline of a schedule.
    private static let patience = Duration.seconds(600)

    let schedule: ProviderSchedule
    let provider: any ScheduledProvider
    let loop: EventLoop

    /// - Returns: Reports in the order of completion, and whether the client has closed.
    func run() async -> (reports: [ProviderScheduleVerifier.Report], isClosed: Bool) {
        let state = State()
        await withCheckedContinuation { continuation in
            let ending = Ending(continuation)
            // Unstructured, because a hanging send must not hide the verifier's result.
            let task = Task(executorPreference: loop) {
                await send(into: state)
                await provider.close()
                state.isClosed.withLock { $0 = true }
                ending.end()
            }
            loop.perform {
                let timer = LoopBound(
                    loop.schedule(after: Self.patience) {
                        task.cancel()
                        ending.end()
                    },
                    to: loop
                )
                ending.onEnd { loop.perform { timer.value.cancel() } }
            }
        }
        return (state.reports.withLock { $0 }, state.isClosed.withLock { $0 })
    }

    private func send(into state: State) async {
        await withTaskGroup { group in
            for call in schedule.calls {
                group.addTask(executorPreference: call.isPinned ? loop : nil) { await carryOut(call, into: state) }
            }
        }
    }

    private func carryOut(_ call: ScheduledCall, into state: State) async {
        guard let delay = call.cancelDelay else { return await place(call, into: state) }
        await withTaskGroup { group in
            group.addTask(executorPreference: call.isPinned ? loop : nil) { await place(call, into: state) }
            // At once, or after the send has begun.
            await pause(delay)
            group.cancelAll()
        }
    }

    private func place(_ call: ScheduledCall, into state: State) async {
        switch call.form {
        case .send: state.add([await provider.send(call.notifications[0])])
        case .trySend: state.add([await provider.trySend(call.notifications[0])])
        case .batch: state.add(await provider.send(call.notifications))
        case .responses(let inFlightMax):
            await provider.send(each: call.notifications, inFlightMax: inFlightMax) { state.add([$0]) }
        }
    }

    private func pause(_ duration: Duration) async {
        guard duration > .zero else { return await Task.yield() }
        await withCheckedContinuation { continuation in
            loop.perform { loop.schedule(after: duration) { continuation.resume() } }
        }
    }

    private final class State: Sendable {
        let reports = Guarded<[ProviderScheduleVerifier.Report]>([])
        let isClosed = Guarded(false)

        func add(_ more: [ProviderScheduleVerifier.Report]) { reports.withLock { $0 += more } }
    }

    /// Resumes once, at the first of several ends.
    private final class Ending: Sendable {
        private let state: Guarded<(CheckedContinuation<Void, Never>?, (@Sendable () -> Void)?)>

        init(_ continuation: CheckedContinuation<Void, Never>) { state = Guarded((continuation, nil)) }

        func onEnd(_ action: @escaping @Sendable () -> Void) {
            let isOver = state.withLock { state in
                if state.0 != nil { state.1 = action }
                return state.0 == nil
            }
            if isOver { action() }
        }

        func end() {
            let (continuation, action) = state.withLock { state in
                defer { state = (nil, nil) }
                return state
            }
            action?()
            continuation?.resume()
        }
    }
}
