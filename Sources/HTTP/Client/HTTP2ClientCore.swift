import CNGHTTP2
package import Networking

package final class HTTP2ClientCore {
    enum State {
        case new, connecting, open, draining, closed(TransportError?)
    }

    package let loop: EventLoop
    let limits: HTTP2ClientLimits
    /// Released after the last event: its owner may hold the connection.
    package var onEvent: ((HTTP2ClientEvent) -> Void)?
    /// Gets responses to requests of `start`. Released after the connection has closed.
    package var owner: (any HTTP2ClientOwner)?
    private(set) var state = State.new
    private(set) var channel: TLSChannel?
    var session: HTTP2Session?
    private var requests = RequestTable()
    /// Time of the peer's last bytes.
    package internal(set) var receivedAt: MonotonicTime
    /// Send time of the PING without an answer yet.
    var pingedAt: MonotonicTime?
    var pingTimer: LoopTimer?
    private var onConnected: ((TransportError?) -> Void)?
    private var onClosed: [() -> Void] = []
    private var deadlineTimer: LoopTimer?
    private var nextDeadline = MonotonicTime(nanoseconds: .max)
    var prefaceTimer: LoopTimer?
    var isTurnEndPlanned = false

    package init(loop: EventLoop, limits: HTTP2ClientLimits, onEvent: ((HTTP2ClientEvent) -> Void)? = nil) {
        self.loop = loop
        self.limits = limits
        self.onEvent = onEvent
        // May be made off the loop, where `loop.now` must not be read.
        receivedAt = .now()
    }

    // MARK: Connecting

    /// Calls `completion` once: after the server's SETTINGS, or with the error.
    package func connect(
        host: String,
        port: UInt16,
        context: TLSContext,
        completion: @escaping (TransportError?) -> Void
    ) {
        guard case .new = state else { return completion(.cancelled) }
        state = .connecting
        onConnected = completion
        do throws(TransportError) {
            channel = try TLSChannel.connect(
                host: host,
                port: port,
                context: context,
                loop: loop,
                limits: limits.channel,
                delegate: self
            )
        } catch {
            didClose(error)
        }
    }

    package func cancelConnect() {
        switch state {
        case .new: state = .closed(.cancelled)
        case .connecting: channel?.abort(.cancelled)
        case .open, .draining, .closed: break
        }
    }

    private func didConnect() {
        prefaceTimer?.cancel()
        prefaceTimer = nil
        state = .open
        onConnected?(nil)
        onConnected = nil
    }

    // MARK: Requests

    func send(_ request: HTTP2Request, _ pending: PendingRequest) {
        guard case .open = state, let session else { return pending.finish(.failure(.notProcessed(refusal)), owner) }
        watchDeadline(pending.deadline)
        if requests.waitingCount == 0, session.openStreamCount < session.peerMaxConcurrentStreams {
            return start(request, pending, session)
        }
        guard requests.waitingCount < limits.waitingCountMax else {
            return pending.finish(.failure(.notProcessed(.queueFull(countMax: limits.waitingCountMax))), owner)
        }
        requests.wait(request, pending)
    }

    private var refusal: RequestFailure {
        if let goAway = session?.peerGoAway { return .goAway(code: goAway.code) }
        if let violation = session?.violation { return .connection(.http2(violation)) }
        if case .closed(let error?) = state { return .connection(error) }
        return .connection(.connectionClosed)
    }

    private func start(_ request: HTTP2Request, _ pending: PendingRequest, _ session: HTTP2Session) {
        do throws(TransportError) {
            try submit(request.headers, body: request.body, pending, session)
        } catch {
            pending.finish(.failure(error), owner)
        }
    }

    private func submit(
        _ headers: borrowing HeaderBlock,
        body: [UInt8],
        _ pending: PendingRequest,
        _ session: HTTP2Session
    ) throws(TransportError) {
        let slot: Int
        do throws(HTTP2Error) {
            slot = try session.submitRequest(headers, body: body)
        } catch {
            throw .notProcessed(error == .streamsExhausted ? .streamsExhausted : .rejected(error))
        }
        requests.start(pending, slot)
        planFlush()
    }

    /// Begins a request for `owner`. Only while there is room: nothing waits here.
    ///
    /// - Parameters:
    ///   - headers: Pseudo-headers first; copied before the call returns.
    ///   - id: Unique among this connection's open requests.
    /// - Throws: `.notProcessed`; the owner is not notified as well.
    package func start(
        _ headers: borrowing HeaderBlock,
        body: [UInt8],
        id: UInt64,
        deadline: MonotonicTime
    ) throws(TransportError) {
        guard case .open = state, let session else { throw .notProcessed(refusal) }
        watchDeadline(deadline)
        let pending = unsafe PendingRequest(id: id, deadline: deadline, continuation: nil)
        try submit(headers, body: body, pending, session)
    }

    private func startWaiting(_ session: HTTP2Session) {
        guard case .open = state else { return }
        while session.openStreamCount < session.peerMaxConcurrentStreams {
            guard let (request, pending) = requests.takeNextWaiting() else { return }
            start(request, pending, session)
        }
    }

    /// Gives up a request, begun or waiting, and notifies its caller.
    package func cancel(_ id: UInt64) {
        if let slot = requests.slot(of: id) {
            return giveUp(slot, .cancelled)
        }
        for pending in requests.takeWaiting(where: { $0.id == id }) {
            pending.finish(.failure(.notProcessed(.cancelled)), owner)
        }
    }

    private func giveUp(_ slot: Int, _ failure: RequestFailure) {
        guard let session, let request = requests.take(slot) else { return }
        let isWritten = session.isWritten(slot)
        reset(slot, session)
        request.finish(.failure(isWritten ? .ambiguous(failure) : .notProcessed(failure)), owner)
    }

    private func reset(_ slot: Int, _ session: HTTP2Session) {
        do throws(HTTP2Error) {
            try session.reset(slot, code: NGHTTP2_CANCEL.rawValue)
            planFlush()
        } catch {
            channel?.abort(.http2(error))
        }
    }

    // MARK: Deadlines

    /// One timer for all requests, at the earliest deadline ever set: nearly all are answered before, and a timer each
    /// would cost more than the rest.
    private func watchDeadline(_ deadline: MonotonicTime) {
        guard deadline < nextDeadline else { return }
        nextDeadline = deadline
        deadlineTimer?.cancel()
        deadlineTimer = loop.schedule(after: deadline - .now()) { [unowned self] in expire() }
    }

    private func expire() {
        deadlineTimer = nil
        nextDeadline = MonotonicTime(nanoseconds: .max)
        let now = loop.now
        // A request given up may be sent twice: not for our own delay.
        if now < loop.judgesFrom { return watchDeadline(loop.judgesFrom) }
        for pending in requests.takeWaiting(where: { $0.deadline <= now }) {
            pending.finish(.failure(.notProcessed(.deadlineExceeded)), owner)
        }
        for slot in requests.expiredSlots(at: now) {
            giveUp(slot, .deadlineExceeded)
        }
        if let earliest = requests.earliestDeadline { watchDeadline(earliest) }
    }

    // MARK: Events

    func handleEvents(_ session: HTTP2Session) {
        while let event = session.nextEvent() {
            switch event {
            case .message(let slot): didReceiveResponse(slot, session)
            case .bodyTooLarge(let slot):
                requests.take(slot)?.finish(.failure(.ambiguous(tooLarge)), owner)
            case .malformed(let slot):
                requests.take(slot)?.finish(.failure(.ambiguous(.malformedResponse)), owner)
            case .closed(let slot, let code): didCloseStream(slot, code, session)
            case .settings:
                if case .connecting = state { didConnect() }
                onEvent?(.maxConcurrentStreams(session.peerMaxConcurrentStreams))
            case .goAway: didReceiveGoAway(session)
            case .pong: didReceivePong()
            case .flooded, .ended, .head, .bodyRefused: break
            }
        }
        startWaiting(session)
    }

    private var tooLarge: RequestFailure {
        .responseTooLarge(byteCountMax: limits.settings.bodyByteCountMax)
    }

    private func didReceiveResponse(_ slot: Int, _ session: HTTP2Session) {
        let message = session.takeMessage(slot)
        // The response came before the request's end: the rest is useless.
        if !session.isOutgoingDone(slot) { reset(slot, session) }
        guard let request = requests.take(slot) else { return }
        guard !message.isHeaderTooLarge else {
            return request.finish(.failure(.ambiguous(.malformedResponse)), owner)
        }
        guard message.bodyByteCount == message.body.count else {
            return request.finish(.failure(.ambiguous(tooLarge)), owner)
        }
        request.finish(
            .success(HTTP2Response(status: message.status, headers: message.headers, body: message.body)),
            owner
        )
    }

    private func didCloseStream(_ slot: Int, _ code: UInt32, _ session: HTTP2Session) {
        if let request = requests.take(slot) {
            // nghttp2 reports streams excluded by a GOAWAY, the peer's or ours, this way too.
            if code == NGHTTP2_REFUSED_STREAM.rawValue {
                let isEnding = session.peerGoAway != nil || session.violation != nil
                request.finish(.failure(.notProcessed(isEnding ? refusal : .refusedStream)), owner)
            } else {
                request.finish(.failure(.ambiguous(.reset(code: code))), owner)
            }
        }
        closeIfDrained(session)
    }

    private func didReceiveGoAway(_ session: HTTP2Session) {
        guard let goAway = session.peerGoAway else { return }
        // GOAWAY may precede SETTINGS; the caller of `connect` must be notified.
        if case .connecting = state { channel?.abort(.connectionClosed) }
        if case .open = state { state = .draining }
        refuseWaiting()
        onEvent?(.goAway(lastStreamID: goAway.lastStreamID, code: goAway.code, debugData: goAway.debugData))
        closeIfDrained(session)
    }

    private func refuseWaiting() {
        let failure = refusal
        while let (_, pending) = requests.takeNextWaiting() {
            pending.finish(.failure(.notProcessed(failure)), owner)
        }
    }

    // MARK: Bytes out

    func planFlush() {
        guard !isTurnEndPlanned else { return }
        isTurnEndPlanned = true
        loop.atTurnEnd(self)
    }

    package func flush() {
        guard let channel, let session else { return }
        do throws(TransportError) {
            try session.send(through: channel)
        } catch {
            return channel.abort(error)
        }
        // Sending may close streams, too.
        handleEvents(session)
        if !session.isAlive { closeChannel() }
    }

    // MARK: Ending

    /// Refuses new requests; ends after the open ones, or at once.
    package func close(gracefully: Bool, completion: (() -> Void)? = nil) {
        switch state {
        case .closed:
            completion?()
            return
        case .new:
            state = .closed(nil)
            completion?()
            return
        case .connecting, .open, .draining: break
        }
        if let completion { onClosed.append(completion) }
        guard gracefully, let session else {
            channel?.abort(.connectionClosed)
            return
        }
        state = .draining
        refuseWaiting()
        closeIfDrained(session)
    }

    private func closeIfDrained(_ session: HTTP2Session) {
        guard case .draining = state, session.openStreamCount == 0, let channel else { return }
        do throws(HTTP2Error) {
            try session.terminate(code: NGHTTP2_NO_ERROR.rawValue)
            planFlush()
        } catch {
            channel.abort(.http2(error))
        }
    }

    /// A request begun before the peer closes, too, would wait for that.
    private func closeChannel() {
        if case .open = state { state = .draining }
        refuseWaiting()
        channel?.close()
    }

    func didClose(_ error: TransportError?) {
        if case .closed = state { return }
        let session = self.session
        // A clean close after the peer's violation reports the violation.
        let error = error ?? session?.violation.map { .http2($0) }
        state = .closed(error)
        deadlineTimer?.cancel()
        prefaceTimer?.cancel()
        pingTimer?.cancel()
        let failure = RequestFailure.connection(error ?? .connectionClosed)
        for slot in requests.slots {
            guard let request = requests.take(slot) else { continue }
            let isWritten = session?.isWritten(slot) ?? false
            request.finish(.failure(isWritten ? .ambiguous(failure) : .notProcessed(failure)), owner)
        }
        refuseWaiting()
        channel = nil
        onConnected?(error ?? .connectionLost)
        onConnected = nil
        onEvent?(.closed(error))
        onEvent = nil
        owner = nil
        let closed = onClosed
        onClosed = []
        for completion in closed {
            completion()
        }
    }
}
