import HTTP
import Networking
import Platform

@testable import APNSSimulator

/// Pushes that a simulator accepted; tests can wait for them.
final class PushArrivals: Sendable {
    private struct State {
        var ids: [String] = []
        var waiting: (ids: Set<String>, continuation: CheckedContinuation<Void, Never>)?

        mutating func takeReady() -> CheckedContinuation<Void, Never>? {
            guard let waiting, waiting.ids.isSubset(of: ids) else { return nil }
            self.waiting = nil
            return waiting.continuation
        }
    }

    private let state = Guarded(State())

    var ids: [String] { state.withLock { $0.ids } }

    func record(_ event: SimulatorEvent) {
        guard case .accepted(let push, _) = event, let id = push.headers["apns-id"] else { return }
        let text = String(decoding: id, as: UTF8.self).lowercased()
        let ready = state.withLock { state in
            state.ids.append(text)
            return state.takeReady()
        }
        ready?.resume()
    }

    /// Returns when all of these have come; one waits at a time.
    func wait(for ids: some Sequence<String>) async {
        let wanted = Set(ids.map { $0.lowercased() })
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                precondition(state.waiting == nil)
                state.waiting = (ids: wanted, continuation: continuation)
                return state.takeReady()
            }
            ready?.resume()
        }
    }
}
