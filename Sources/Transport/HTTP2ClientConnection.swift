import Synchronization

/// How a client connects and what it allows.
package struct HTTP2ClientLimits: Sendable {
    package var channel = TLSChannelLimits()
    package var settings: HTTP2Settings = {
        var settings = HTTP2Settings()
        settings.bodyByteCountHardMax = settings.bodyByteCountMax
        return settings
    }()
    /// From `send` to the whole response, the wait for a free stream included.
    package var requestDeadline: Duration = .seconds(30)
    /// Requests that may wait for a free stream.
    package var waitingCountMax = 10_000

    package init() {}
}

/// What happens to a connection by itself. Told on its loop.
package enum HTTP2ClientEvent: Sendable, Equatable {
    /// How many requests the peer now allows at once.
    case maxConcurrentStreams(Int)
    /// The peer takes no new requests; the connection closes once those in flight have ended.
    case goAway(lastStreamID: Int32, code: UInt32, debugData: [UInt8])
    /// The answer to a PING of ours.
    case pong(roundTrip: Duration)
    /// The last event. Nil: closed in order.
    case closed(TransportError?)
}

/// One HTTP/2 connection to one server, used from anywhere; it lives on its loop.
///
/// A task that runs on the loop (`Task(executorPreference: loop)`) sends without a thread switch. When the last
/// reference goes, the connection closes as `close()` would.
package final class HTTP2ClientConnection: Sendable {
    package let loop: EventLoop
    private let core: LoopBound<HTTP2ClientCore>
    private let requestDeadline: Duration
    private let nextRequestID = Atomic<UInt64>(0)

    /// Connects and waits until the server's SETTINGS have come: then it does speak HTTP/2, and its limit is known.
    ///
    /// - Parameters:
    ///   - host: a DNS name or an address; the certificate must carry it.
    ///   - port: in the host's byte order.
    ///   - context: a client's, with `h2` among its protocols.
    ///   - loop: where the connection will live.
    ///   - limits: what is allowed, and how long.
    ///   - onEvent: called on the loop, which it must not block.
    /// - Returns: a connection that takes requests.
    /// - Throws: why there is none, `.tls` for a certificate that was refused.
    package static func connect(
        host: String,
        port: UInt16,
        context: TLSContext,
        loop: EventLoop,
        limits: HTTP2ClientLimits = HTTP2ClientLimits(),
        onEvent: @escaping @Sendable (HTTP2ClientEvent) -> Void = { _ in }
    ) async throws(TransportError) -> HTTP2ClientConnection {
        let core = LoopBound(HTTP2ClientCore(loop: loop, limits: limits, onEvent: onEvent), to: loop)
        let failure: TransportError? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.perform {
                    core.value.connect(host: host, port: port, context: context) { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            loop.perform { core.value.cancelConnect() }
        }
        if let failure { throw failure }
        return HTTP2ClientConnection(core: core, requestDeadline: limits.requestDeadline)
    }

    private init(core: LoopBound<HTTP2ClientCore>, requestDeadline: Duration) {
        loop = core.loop
        self.core = core
        self.requestDeadline = requestDeadline
    }

    deinit {
        let core = core
        loop.perform { core.value.close(gracefully: true) }
    }

    /// Sends one request and waits for the whole response.
    ///
    /// - Throws: `.notProcessed` when the server cannot have acted on it, `.ambiguous` when it may have. A cancelled
    ///   task's stream is reset.
    package func send(_ request: HTTP2Request) async throws(TransportError) -> HTTP2Response {
        let id = nextRequestID.add(1, ordering: .relaxed).newValue
        let isOnLoop = loop.isOnLoop
        // Off the loop, a cancellation may overtake the request on its way there; on the loop it cannot.
        let ticket = isOnLoop ? nil : Ticket()
        let result: Result<HTTP2Response, TransportError> = await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { (continuation: RequestContinuation) in
                let deadline = MonotonicTime.now() + requestDeadline
                guard let ticket else {
                    guard !Task.isCancelled else {
                        return unsafe continuation.resume(returning: .failure(.notProcessed(.cancelled)))
                    }
                    let pending = unsafe PendingRequest(id: id, deadline: deadline, continuation: continuation)
                    return core.value.send(request, pending)
                }
                let core = core
                loop.perform {
                    guard !ticket.isCancelled.load(ordering: .relaxed) else {
                        return unsafe continuation.resume(returning: .failure(.notProcessed(.cancelled)))
                    }
                    let pending = unsafe PendingRequest(id: id, deadline: deadline, continuation: continuation)
                    core.value.send(request, pending)
                }
            }
        } onCancel: {
            ticket?.isCancelled.store(true, ordering: .relaxed)
            let core = core
            loop.perform { core.value.cancel(id) }
        }
        return try result.get()
    }

    /// Takes no more requests; ends once those in flight have their answers (or at once), and returns when it has.
    package func close(gracefully: Bool = true) async {
        let core = core
        await withCheckedContinuation { continuation in
            loop.perform {
                core.value.close(gracefully: gracefully) { continuation.resume() }
            }
        }
    }

    private final class Ticket: Sendable {
        let isCancelled = Atomic(false)
    }
}
