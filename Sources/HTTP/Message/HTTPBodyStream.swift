import Platform

/// Body without an announced end, such as server-sent events, written from any thread. HTTP/1.1 only: on HTTP/2 the
/// answer is 505.
package final class HTTPBodyStream: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isFinished = false
        var wake: (@Sendable () -> Void)?
        var onClose: (@Sendable () -> Void)?
    }

    /// Unsent bytes; beyond it the body ends: the client is too slow.
    private let byteCountMax: Int
    private let state: Guarded<State>

    /// - Parameter onClose: called once, when the client has gone or has the whole body.
    package init(byteCountMax: Int = 2 << 20, onClose: @escaping @Sendable () -> Void = {}) {
        self.byteCountMax = byteCountMax
        state = Guarded(State(onClose: onClose))
    }

    package func write(_ bytes: [UInt8]) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isFinished else { return nil }
            state.bytes += bytes
            if state.bytes.count > byteCountMax {
                state.bytes = []
                state.isFinished = true
            }
            return state.wake
        }
        wake?()
    }

    /// Ends the body behind what was written.
    package func finish() {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            state.isFinished = true
            return state.wake
        }
        wake?()
    }

    /// - Parameter wake: called whenever there is something to take.
    func attach(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    func take() -> (bytes: [UInt8], isFinished: Bool) {
        state.withLock { state in
            defer { state.bytes = [] }
            return (state.bytes, state.isFinished)
        }
    }

    /// Ends a cycle: `wake` holds the connection.
    func close() {
        let onClose = state.withLock { state -> (@Sendable () -> Void)? in
            let onClose = state.onClose
            state = State(isFinished: true)
            return onClose
        }
        onClose?()
    }
}
