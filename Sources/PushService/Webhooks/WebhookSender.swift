import Envelope
import HTTPSClient
package import Networking
import Platform
package import ServiceParts

/// Sends posts over shared connections, or alone over its own. Lives on the loop and never blocks it.
package actor WebhookSender {
    private typealias Search = CheckedContinuation<Result<WebhookReceiver, WebhookError>, Never>

    private static let stackByteCount = 1 << 20
    /// Lifetime of a lookup and a secret.
    private static let receiverAge = Duration.seconds(5)
    private static let receiverCountMax = 2_048

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.unownedExecutor }
    private let clock: ServiceClock
    private let way: WebhookRoute
    private var connections: HTTPSConnections?
    private var receivers: [WebhookConfiguration: (receiver: WebhookReceiver, end: MonotonicTime)] = [:]
    /// Waits for receivers that are being looked up.
    private var searches: [WebhookConfiguration: [Search]] = [:]
    private var calls: [ObjectIdentifier: WebhookCall] = [:]
    private var isStopped = false

    package init(loop: EventLoop, clock: ServiceClock, way: WebhookRoute = WebhookRoute()) {
        self.loop = loop
        self.clock = clock
        self.way = way
    }

    /// Sends over a shared connection. If a kept one turns out dead, it may go out twice.
    func send(_ post: WebhookPost) async -> WebhookResult {
        let receiver: WebhookReceiver
        switch await self.receiver(of: post.destination) {
        case .success(let found): receiver = found
        case .failure(let fault): return .notSent(fault)
        }
        guard !isStopped else { return .notSent(.cancelled) }
        if connections == nil { connections = try? HTTPSConnections() }
        guard let connections else { return .notSent(.notReached) }
        let progress = WebhookProgress(allowing: post.destination.allowedRanges)
        var request = receiver.request(post, at: clock.wall(), seconds: way.seconds)
        request.sharesConnections = true
        request.mayBegin = { progress.begins(at: $0) }
        return await withCheckedContinuation { (continuation: CheckedContinuation<WebhookResult, Never>) in
            connections.start(request, onHead: { progress.take($0) }, onBytes: { progress.take($0) }) { error in
                continuation.resume(returning: progress.result(error))
            }
        }
    }

    /// - Parameter mayBegin: Called before the first byte goes out.
    func sendAlone(
        _ post: WebhookPost,
        mayBegin: @escaping WebhookProgress.Permission = { nil }
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

    /// A lone call in a lookup ends with the lookup.
    package func stop() {
        isStopped = true
        for call in calls.values { call.cancel() }
        for waiting in searches.values {
            for search in waiting { search.resume(returning: .failure(.cancelled)) }
        }
        searches = [:]
        connections?.stop()
    }

    /// One lookup serves all concurrent callers.
    private func receiver(of destination: WebhookConfiguration) async -> Result<WebhookReceiver, WebhookError> {
        if let known = receivers[destination], known.end > .now() { return .success(known.receiver) }
        return await withCheckedContinuation { (search: Search) in
            guard !isStopped else { return search.resume(returning: .failure(.cancelled)) }
            searches[destination, default: []].append(search)
            guard searches[destination]?.count == 1 else { return }
            let hasThread = DetachedThread.start(stackByteCount: Self.stackByteCount) { [way] in
                let found = Result { () throws(WebhookError) in
                    try WebhookReceiver(destination, by: way.lookup)
                }
                self.loop.perform { self.assumeIsolated { $0.didFind(found, destination) } }
            }
            if !hasThread { didFind(.failure(.notReached), destination) }
        }
    }

    private func didFind(_ found: Result<WebhookReceiver, WebhookError>, _ destination: WebhookConfiguration) {
        if case .success(let receiver) = found {
            // Includes former configurations'.
            if receivers.count >= Self.receiverCountMax { receivers = [:] }
            receivers[destination] = (receiver, .now() + Self.receiverAge)
        }
        for search in searches.removeValue(forKey: destination) ?? [] { search.resume(returning: found) }
    }
}
