import APNS
import APNSSimulator
import Envelope
import Glibc
import HTTP
import Networking
import Platform

/// APNs' view of a service: tests can wait for events, and kill the service at a certain push.
final class EventBoard: Sendable {
    /// A push that passed every check.
    struct Push: Sendable {
        let id: APNSID
        let trace: String
        /// True if it was answered 200; false if a fault replaced the answer.
        let isAnswered: Bool
    }

    struct Seen: Sendable {
        var pushes: [Push] = []
        var rejections: [Reason] = []
        var isKilled = false

        var counts: [APNSID: Int] { pushes.reduce(into: [:]) { $0[$1.id, default: 0] += 1 } }
        var answered: Set<APNSID> { Set(pushes.filter(\.isAnswered).map(\.id)) }
    }

    fileprivate struct State {
        var seen = Seen()
        var victim: (process: pid_t, pushCount: Int)?
        var waiters: [(isReady: @Sendable (Seen) -> Bool, continuation: CheckedContinuation<Seen, Never>)] = []
    }

    private let state = Guarded(State())

    var seen: Seen { state.withLock { $0.seen } }

    /// Records an event, on the simulator's loop before the answer is sent.
    func record(_ event: SimulatorEvent) {
        change { state in
            switch event {
            case .accepted(let push, _): state.add(push, isAnswered: true)
            case .injected(_, let push, _): state.add(push, isAnswered: false)
            case .rejected(let reason, _): state.seen.rejections.append(reason)
            default: break
            }
        }
    }

    /// Sends SIGKILL after so many more pushes, while the last of them waits for its answer.
    func kill(_ process: pid_t, afterPushes count: Int) {
        state.withLock { state in
            state.seen.isKilled = false
            state.victim = (process, state.seen.pushes.count + count)
        }
    }

    /// Waits until it is so, without a deadline.
    @discardableResult
    func when(_ isReady: @escaping @Sendable (Seen) -> Bool) async -> Seen {
        await withCheckedContinuation { continuation in
            let seen: Seen? = state.withLock { state in
                if isReady(state.seen) { return state.seen }
                state.waiters.append((isReady, continuation))
                return nil
            }
            if let seen { continuation.resume(returning: seen) }
        }
    }

    private func change(_ body: (inout sending State) -> Void) {
        let (seen, ready) = state.withLock { state in
            body(&state)
            let seen = state.seen
            let ready = state.waiters.filter { $0.isReady(seen) }.map(\.continuation)
            state.waiters.removeAll { $0.isReady(seen) }
            return (seen, ready)
        }
        for continuation in ready { continuation.resume(returning: seen) }
    }
}

extension EventBoard.State {
    fileprivate mutating func add(_ push: ReceivedPush, isAnswered: Bool) {
        guard let text = push.headers["apns-id"], let id = APNSID(text: Array(text).span, acceptsUpperCase: false)
        else {
            return
        }
        let limits = JSONParser.Limits(byteCountMax: 5_120, depthMax: 8, allowsFractions: true)
        let trace = (try? JSONParser.parse(push.payload, limits: limits))?["trace"]?.string ?? ""
        seen.pushes.append(EventBoard.Push(id: id, trace: trace, isAnswered: isAnswered))
        guard let (process, count) = victim, seen.pushes.count >= count else { return }
        victim = nil
        seen.isKilled = true
        _ = Glibc.kill(process, SIGKILL)
    }
}
