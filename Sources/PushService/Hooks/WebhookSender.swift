import Envelope
import Platform
package import Transport

/// Sends posts, each on a thread of its own while it waits, and as many at a time as `SendTurns` allows: the loop waits for
/// nobody. Lives on the loop.
package actor WebhookSender {
    private typealias Turn = CheckedContinuation<Bool, Never>

    private static let stackByteCount = 1 << 20

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private let clock: ServiceClock
    private let way: WebhookWay
    private var turns = SendTurns<Turn>()
    private var calls: [ObjectIdentifier: WebhookCall] = [:]
    private var isStopped = false

    package init(loop: EventLoop, clock: ServiceClock, way: WebhookWay = WebhookWay()) {
        self.loop = loop
        self.clock = clock
        self.way = way
    }

    /// Waits for its turn, then for the server.
    ///
    /// - Parameters:
    ///   - post: what is sent, once.
    ///   - tenant: whose turn it is.
    ///   - kind: how much it is in a hurry.
    /// - Returns: what became of it.
    package func send(
        _ post: WebhookPost,
        of tenant: String,
        _ kind: SendKind = .plain
    ) async -> WebhookResult {
        let mayGo = await withCheckedContinuation { (turn: Turn) in
            // Asked in here: `stop` may come on the way here, and resumes only those who wait.
            guard !isStopped else { return turn.resume(returning: false) }
            turns.add(turn, of: tenant, kind)
            start()
        }
        guard mayGo else { return .notSent(.cancelled) }
        let call = WebhookCall(post, by: way, now: clock.wall)
        calls[ObjectIdentifier(call)] = call
        if isStopped { call.cancel() }
        let began = clock.uptime()
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<WebhookResult, Never>) in
            let hasThread = DetachedThread.start(stackByteCount: Self.stackByteCount) {
                continuation.resume(returning: call.run())
            }
            if !hasThread { continuation.resume(returning: .notSent(.notReached)) }
        }
        calls[ObjectIdentifier(call)] = nil
        let milliseconds = (clock.uptime() - began) / 1_000_000
        turns.ended(tenant, kind, wasAnswered: result.wasAnswered, milliseconds: milliseconds)
        start()
        return result
    }

    /// From now on nothing is sent; what is being sent breaks off. Whoever waits in a look-up is not waited for.
    package func stop() {
        isStopped = true
        for turn in turns.removeAll() { turn.resume(returning: false) }
        for call in calls.values { call.cancel() }
    }

    private func start() {
        while let next = turns.next() { next.element.resume(returning: true) }
    }

    /// How fast a tenant's plain posts go, in milliseconds from one to the next.
    package func spacingMilliseconds(of tenant: String) -> Int64 { turns.spacingMilliseconds(of: tenant, .plain) }
}

extension WebhookResult {
    fileprivate var wasAnswered: Bool {
        if case .answered = self { true } else { false }
    }
}
