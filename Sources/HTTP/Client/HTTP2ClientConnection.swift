package import Networking
import Platform
import Synchronization

package struct HTTP2ClientLimits: Sendable {
    package var channel = TLSChannelLimits()
    package var settings: HTTP2Settings = {
        var settings = HTTP2Settings()
        settings.bodyByteCountHardMax = settings.bodyByteCountMax
        return settings
    }()
    /// From `send` to the whole response, including the wait for a stream.
    package var requestDeadline: Duration = .seconds(30)
    package var waitingCountMax = 10_000

    package init() {}
}

/// Events of a connection. Delivered on its loop.
package enum HTTP2ClientEvent: Sendable, Equatable {
    case maxConcurrentStreams(Int)
    /// The connection closes after the open requests.
    case goAway(lastStreamID: Int32, code: UInt32, debugData: [UInt8])
    case pong(roundTrip: Duration)
    /// The last event. Nil: a clean close.
    case closed(TransportError?)
}

/// One HTTP/2 connection, for use from any thread. Its last reference's release closes it gracefully.
///
/// A task on the loop (`Task(executorPreference: loop)`) sends without a thread switch.
package final class HTTP2ClientConnection: Sendable {
    package let loop: EventLoop
    private let core: LoopBound<HTTP2ClientCore>
    private let requestDeadline: Duration
    private let nextRequestID = Atomic<UInt64>(0)

    /// Connects and waits for the server's SETTINGS: it then speaks HTTP/2, and its limit is known.
    ///
    /// - Parameters:
    ///   - host: DNS name or address in the server's certificate.
    ///   - context: A client's, with `h2`.
    /// - Throws: `.tls` for a refused certificate, among others.
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

    /// Sends a request and waits for the whole response. Cancelling the task resets the stream.
    ///
    /// - Throws: `.notProcessed` if the server cannot have acted on it, `.ambiguous` if it may have.
    package func send(_ request: HTTP2Request) async throws(TransportError) -> HTTP2Response {
        let id = nextRequestID.add(1, ordering: .relaxed).newValue
        let isOnLoop = loop.isOnLoop
        // Off the loop, a cancellation may overtake the request.
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

    /// Takes no more requests, lets open ones end (or ends at once), and returns when closed.
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
