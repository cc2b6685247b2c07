import HTTPSClient
import Networking
import Platform
import ServiceParts

/// Sends spans to the collector, in batches. Those that it does not take are dropped: nothing waits for them.
final class SpansPart: ServicePart {
    private final class State {
        var connections: HTTPSConnections?
        var timer: LoopTimer?
        var isStopped = false
        var hasFailed = false
    }

    let name: StaticString = "spans"
    private static let batchCountMax = 512
    private static let period = Duration.seconds(1)
    private static let patienceSeconds = 5
    private let context: ServiceContext
    private let state: LoopBound<State>

    init(_ context: ServiceContext) {
        self.context = context
        state = LoopBound(State(), to: context.loop)
    }

    func start() async {
        await context.loop.run { [self] in arm() }
    }

    /// Each batch reads the settings anew.
    func reload(_ next: LoadedConfiguration) {}

    func drain(until deadline: MonotonicTime) async {
        await Task(executorPreference: context.loop) { [self] in
            state.value.isStopped = true
            state.value.timer?.cancel()
            await send(until: deadline)
            state.value.connections?.stop()
        }.value
    }

    private func arm() {
        guard !state.value.isStopped else { return }
        state.value.timer = context.loop.schedule(after: Self.period) { [self] in
            // Ends with its posts, which have a limit.
            Task(executorPreference: context.loop) { [self] in
                await send(until: nil)
                arm()
            }
        }
    }

    /// Sends until none waits or a batch fails.
    private func send(until deadline: MonotonicTime?) async {
        while let collector = context.settings.configuration.spans {
            var seconds = Self.patienceSeconds
            if let deadline {
                let left: Duration = deadline - .now()
                seconds = min(seconds, Int(left.components.seconds))
            }
            guard seconds > 0 else { return }
            let batch = context.spans.withLock { $0.take(Self.batchCountMax) }
            guard !batch.isEmpty else { return }
            let failure = await post(SpanMessage.bytes(batch), to: collector, seconds: seconds)
            context.spans.withLock { $0.didSend(batch.count, isTaken: failure == nil) }
            if let failure, !state.value.hasFailed {
                context.log.event("spans-failed", .warning, at: context.clock.now(), [("outcome", failure)])
            }
            state.value.hasFailed = failure != nil
            if failure != nil { return }
        }
    }

    /// - Returns: nil for a 2xx.
    private func post(_ body: [UInt8], to collector: SpanCollector, seconds: Int) async -> String? {
        if state.value.connections == nil { state.value.connections = try? HTTPSConnections() }
        // No thread: the next batch tries again.
        guard let connections = state.value.connections else { return "not sent" }
        var request = HTTPSRequest(.post, collector.target.url)
        request.allowsPlainHTTP = !collector.target.isTLS
        request.sharesConnections = true
        if let file = collector.authoritiesFile { request.trust = .file(path: file) }
        request.fields = [("content-type", SpanMessage.contentType), ("user-agent", WebhookPost.userAgent)]
        request.body = HTTPSRequest.Body(bytes: body)
        request.patience.connectSeconds = seconds
        request.patience.stallSeconds = seconds
        request.patience.wholeSeconds = seconds
        let status = Guarded(0)
        return await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
            connections.start(
                request,
                onHead: { head in
                    status.withLock { $0 = head.status }
                    return true
                },
                completion: { error in
                    let status = status.withLock { $0 }
                    let failure = (200..<300).contains(status) ? nil : "status \(status)"
                    continuation.resume(returning: error.map { "\($0)" } ?? failure)
                }
            )
        }
    }
}
