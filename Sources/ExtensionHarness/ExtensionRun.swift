internal import UserNotifications

/// Owns one `Delivery` and performs its actions: threads for the calls into the extension, a continuation for the result.
final class ExtensionRun: Sendable {
    /// A call into the extension; one task may wait for it.
    struct Call: Sendable {
        fileprivate let returns: AsyncStream<Never>

        /// Returns when the call has, or the task is cancelled.
        func wait() async {
            for await _ in returns {}
        }
    }

    private struct State {
        var delivery: Delivery
        var principal: Principal?
        var shown: ShownNotification?
        var waiter: CheckedContinuation<ShownNotification, Never>?
    }

    /// iOS itself calls one extension object from two threads; whether it can bear that is the extension's to prove.
    private struct Principal: @unchecked Sendable {
        let object: UNNotificationServiceExtension
    }

    private let state: Guarded<State>
    private let onLateCall: @Sendable () -> Void

    init(original: ShownContent, onLateCall: @escaping @Sendable () -> Void) {
        state = Guarded(State(delivery: Delivery(original: original)))
        self.onLateCall = onLateCall
    }

    /// Calls `didReceive`, on a thread of its own.
    func start(
        _ push: SimulatedPush,
        makeExtension: @escaping @Sendable () -> UNNotificationServiceExtension
    ) -> Call {
        call(named: "didReceive") { [self] in
            let principal = Principal(object: makeExtension())
            state.withLock { if $0.shown == nil { $0.principal = principal } }
            principal.object.didReceive(push.makeRequest()) { [self] content in
                // A value from here on, made on the extension's thread: it may change its object as soon as it returns.
                handle(.answered(ShownContent(content)))
            }
        }
    }

    /// Calls `serviceExtensionTimeWillExpire` on a thread of its own, if nothing has answered.
    func timeLimitReached() -> Call? {
        guard state.withLock({ $0.delivery.handle(.timeLimitReached) }) == .callExpiry else { return nil }
        return call(named: "timeWillExpire") { [self] in
            // No object yet means that its initializer is still running: iOS has nobody to tell either.
            state.withLock { $0.principal }?.object.serviceExtensionTimeWillExpire()
        }
    }

    /// Ends the run, whatever still runs.
    func graceOver() {
        handle(.graceOver)
    }

    /// The result, once there is one.
    var shown: ShownNotification {
        get async {
            await withCheckedContinuation { continuation in
                let shown = state.withLock { state in
                    if state.shown == nil { state.waiter = continuation }
                    return state.shown
                }
                if let shown { continuation.resume(returning: shown) }
            }
        }
    }

    private func handle(_ event: Delivery.Event) {
        switch state.withLock({ $0.delivery.handle(event) }) {
        case .finish(let shown): finish(shown)
        case .reportLateCall: onLateCall()
        case .none, .callExpiry: break
        }
    }

    private func finish(_ shown: ShownNotification) {
        let waiter = state.withLock { state in
            state.shown = shown
            // The object usually keeps the handler, which keeps this run.
            state.principal = nil
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: shown)
    }

    private func call(named name: String, _ body: @escaping @Sendable () -> Void) -> Call {
        let (returns, continuation) = AsyncStream.makeStream(of: Never.self)
        let thread = Thread { [self] in
            body()
            handle(.callReturned)
            continuation.finish()
        }
        thread.name = name
        thread.start()
        return Call(returns: returns)
    }
}
