import Envelope
import Platform
package import Transport

/// Sends posts, each on a thread of its own while it waits: the loop does not. Lives on the loop.
package actor WebhookSender {
    private static let stackByteCount = 1 << 20

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private let clock: ServiceClock
    private let way: WebhookWay
    private var calls: [ObjectIdentifier: WebhookCall] = [:]
    private var isStopped = false

    package init(loop: EventLoop, clock: ServiceClock, way: WebhookWay = WebhookWay()) {
        self.loop = loop
        self.clock = clock
        self.way = way
    }

    /// Waits for the server.
    ///
    /// - Parameters:
    ///   - post: what is sent, once, over a connection of its own.
    ///   - mayBegin: asked before its first byte goes out.
    /// - Returns: what became of it.
    func send(
        _ post: WebhookPost,
        mayBegin: @escaping WebhookCall.Permission = { nil }
    ) async -> WebhookResult {
        guard !isStopped else { return .notSent(.cancelled) }
        let call = WebhookCall(post, by: way, now: clock.wall, mayBegin: mayBegin)
        calls[ObjectIdentifier(call)] = call
        defer { calls[ObjectIdentifier(call)] = nil }
        return await withCheckedContinuation { (continuation: CheckedContinuation<WebhookResult, Never>) in
            let hasThread = DetachedThread.start(stackByteCount: Self.stackByteCount) {
                continuation.resume(returning: call.run())
            }
            if !hasThread { continuation.resume(returning: .notSent(.notReached)) }
        }
    }

    /// From now on nothing is sent; what is being sent breaks off. A call in a look-up ends when that does.
    package func stop() {
        isStopped = true
        for call in calls.values { call.cancel() }
    }
}
