import CNGHTTP2
package import Networking

/// Client's connection to a server. Lives on the server's loop.
package final class HTTP2ServerConnection {
    struct Exchange {
        /// The stream that waits for a response; 0: none.
        var streamID: Int32 = 0
        var respondedAt: MonotonicTime?
        var reading: (any HTTPExchange)?
        /// From the stream's start to its request's end; nil: the server's deadline.
        var requestDeadline: Duration?
        var isHead = false

        /// Claims the only response to the stream.
        ///
        /// - Returns: false if the stream has closed or has its response.
        mutating func takeAnswer(to streamID: Int32, at now: MonotonicTime) -> Bool {
            guard self.streamID == streamID, respondedAt == nil else { return false }
            respondedAt = now
            return true
        }

        mutating func takeReading() -> (exchange: any HTTPExchange, streamID: Int32)? {
            guard let exchange = reading else { return nil }
            reading = nil
            return (exchange, streamID)
        }
    }

    package let loop: EventLoop
    let channel: TLSChannel
    private let limits: HTTP2ServerLimits
    /// Nil: the handler gets whole requests.
    let service: HTTPService?
    // Released after their call: an application's factory may hold its connections.
    private var makeHandler: (@Sendable (HTTP2ServerConnection) -> any HTTP2Handler)?
    private var onClosed: ((HTTP2ServerConnection) -> Void)?
    let onKeyAccepted: (() -> Void)?
    private var handler: (any HTTP2Handler)?
    private(set) var session: HTTP2Session?
    var exchanges: [Exchange] = []
    /// Streams whose response preceded the end of their request.
    var answeredEarly: [(slot: Int, streamID: Int32)] = []
    let hold = RefusalPause()
    /// Peer's address without its port; set if there is a service.
    private(set) var remoteHost: String?
    private var openedAt: MonotonicTime
    private var lastStreamAt: MonotonicTime
    private var sweepTimer: LoopTimer?
    private var drainTimer: LoopTimer?
    private var isDraining = false
    private(set) var isClosed = false
    private var isTurnEndPlanned = false

    init(
        channel: TLSChannel,
        limits: HTTP2ServerLimits,
        service: HTTPService? = nil,
        makeHandler: (@Sendable (HTTP2ServerConnection) -> any HTTP2Handler)?,
        onKeyAccepted: (() -> Void)? = nil,
        onClosed: @escaping (HTTP2ServerConnection) -> Void
    ) {
        loop = channel.loop
        self.channel = channel
        self.limits = limits
        self.service = service
        self.makeHandler = makeHandler
        self.onKeyAccepted = onKeyAccepted
        self.onClosed = onClosed
        openedAt = channel.loop.now
        lastStreamAt = openedAt
    }

    // MARK: For the application

    package var peerCertificate: TLSCertificate? { channel.peerCertificate }

    /// False for a certificate admitted only to be refused by the application.
    package var isPeerVerified: Bool { channel.isPeerVerified }

    /// Refuses new streams; ends after the open ones, or after the drain deadline.
    ///
    /// - Parameters:
    ///   - code: RFC 9113 section 7.
    ///   - debugData: Apple puts a reason in JSON here.
    ///   - lastStreamID: Nil: the last one received.
    package func goAway(code: UInt32 = 0, debugData: [UInt8] = [], lastStreamID: Int32? = nil) {
        loop.checkIsolated()
        guard !isClosed else { return }
        guard let session else { return channel.close() }
        let frameCount = isDraining ? 1 : max(1, limits.farewells.frameCount)
        attempt { () throws(HTTP2Error) in
            for _ in 0..<frameCount {
                try session.submitGoAway(code: code, debugData: debugData, lastStreamID: lastStreamID)
            }
        }
        guard !isDraining else { return }
        isDraining = true
        drainTimer = loop.schedule(after: limits.drainDeadline) { [unowned self] in
            channel.abort(.deadlineExceeded(.close))
        }
    }

    /// - Parameters:
    ///   - count: Below 2^31.
    ///   - refusesRest: Also refuses unfinished requests above it now.
    package func setMaxConcurrentStreams(_ count: UInt32, refusesRest: Bool = false) {
        loop.checkIsolated()
        guard !isClosed, let session else { return }
        attempt { () throws(HTTP2Error) in
            try session.setMaxConcurrentStreams(count)
            if refusesRest { try session.refuseStreams(above: count) }
        }
    }

    package var remoteAddress: String? { channel.remoteAddress }

    package var tally: HTTP2Session.Tally { session?.tally ?? HTTP2Session.Tally() }

    /// Ends at once, without GOAWAY.
    package func abort() {
        channel.abort(.connectionClosed)
    }

    func attempt(_ body: () throws(HTTP2Error) -> Void) {
        do throws(HTTP2Error) {
            try body()
            planFlush()
        } catch {
            channel.abort(.http2(error))
        }
    }

    // MARK: Requests

    private func handleEvents(_ session: HTTP2Session) {
        while let event = session.nextEvent() {
            switch event {
            // A GOAWAY on its way does not cover requests after its cause.
            case .message(let slot):
                guard !session.isEnding else { continue }
                if service == nil { didReceiveRequest(slot, session) } else { didReceiveBody(slot, session) }
            case .head(let slot): if !session.isEnding { didReceiveHead(slot, session) }
            case .bodyRefused(let slot, let fault): didRefuseBody(slot, fault, session)
            case .closed(let slot, _):
                if slot < exchanges.count { exchanges[slot] = Exchange() }
                lastStreamAt = loop.now
            // Now, not at the turn's end: else more of the flood would be read.
            case .flooded, .ended: flush()
            case .settings, .goAway, .pong, .bodyTooLarge, .malformed: break
            }
        }
    }

    private func didReceiveRequest(_ slot: Int, _ session: HTTP2Session) {
        let message = session.takeMessage(slot)
        let streamID = session.streamID(slot)
        while exchanges.count <= slot {
            exchanges.append(Exchange())
        }
        exchanges[slot] = Exchange(streamID: streamID)
        guard !message.isHeaderTooLarge else {
            return respond(slot, streamID, status: 431, HeaderBlock(), .bytes([]))
        }
        handler?.handle(
            HTTP2ServerRequest(
                headers: message.headers,
                body: message.body,
                bodyByteCount: message.bodyByteCount
            ),
            HTTP2Responder(connection: LoopBound(self, to: loop), slot: slot, streamID: streamID)
        )
    }

    /// Responds, unless the stream has closed or has its response.
    func respond(
        _ slot: Int,
        _ streamID: Int32,
        status: Int,
        _ headers: HeaderBlock,
        contentLength: Int? = nil,
        _ body: HTTPAnswer.Body
    ) {
        guard !isClosed, let session, exchanges[slot].takeAnswer(to: streamID, at: loop.now) else { return }
        attempt { () throws(HTTP2Error) in
            try session.submitResponse(
                slot,
                status: status,
                headers: headers,
                contentLength: contentLength,
                body: body
            )
        }
    }

    func reset(_ slot: Int, _ streamID: Int32, code: UInt32) {
        guard !isClosed, let session, exchanges[slot].streamID == streamID else { return }
        attempt { () throws(HTTP2Error) in try session.reset(slot, code: code) }
    }

    // MARK: Time

    /// Checks all deadlines, four times per shortest one: cheaper than a timer each.
    private func planSweep() {
        let shortest = min(headDeadline, limits.responseDeadline, limits.idleDeadline)
        let period = min(shortest, limits.channel.handshakeDeadline, limits.lifetimeMax ?? shortest) / 4
        sweepTimer = loop.schedule(after: max(period, .milliseconds(1))) { [unowned self] in
            sweep()
            if !isClosed { planSweep() }
        }
    }

    /// From a header block's first byte to its last.
    private var headDeadline: Duration { service?.limits.deadline(of: nil) ?? limits.requestDeadline }

    private func sweep() {
        guard let session else { return }
        let now = loop.now
        guard session.hasPeerSettings || now < openedAt + limits.channel.handshakeDeadline else {
            return channel.abort(.deadlineExceeded(.handshake))
        }
        // It blocks every other stream: there is nothing to save.
        if let began = session.headerBlockBegan, began + headDeadline <= now {
            return channel.abort(.deadlineExceeded(.request))
        }
        for slot in 0..<session.slotCount {
            let requestDeadline = slot < exchanges.count ? exchanges[slot].requestDeadline : nil
            if let began = session.receivingSince(slot), began + (requestDeadline ?? limits.requestDeadline) <= now {
                attempt { () throws(HTTP2Error) in try session.reset(slot, code: NGHTTP2_CANCEL.rawValue) }
            }
            guard slot < exchanges.count, let respondedAt = exchanges[slot].respondedAt else { continue }
            if session.hasNewFilePiece(slot) {
                exchanges[slot].respondedAt = now
            } else if respondedAt + limits.responseDeadline <= now {
                attempt { () throws(HTTP2Error) in try session.reset(slot, code: NGHTTP2_CANCEL.rawValue) }
            }
        }
        guard !isDraining else { return }
        if let lifetimeMax = limits.lifetimeMax, openedAt + lifetimeMax <= now {
            goAway(debugData: limits.farewells.lifetime)
        } else if session.openStreamCount == 0, lastStreamAt + limits.idleDeadline <= now {
            goAway(debugData: limits.farewells.idle)
        }
    }

    // MARK: Bytes out

    private func planFlush() {
        guard !isTurnEndPlanned, !isClosed else { return }
        isTurnEndPlanned = true
        loop.atTurnEnd(self)
    }

    private func flush() {
        guard !isClosed, let session else { return }
        do throws(TransportError) {
            try session.send(through: channel)
            if !answeredEarly.isEmpty, resetAnsweredEarly(session) { try session.send(through: channel) }
        } catch {
            return channel.abort(error)
        }
        handleEvents(session)
        let isDone = session.isEnding || !session.isAlive
        if isDone || (isDraining && session.openStreamCount == 0) { channel.close() }
    }
}

extension HTTP2ServerConnection: TLSChannelDelegate, TurnEndHandler {
    package func channelDidOpen(_ channel: TLSChannel) {
        // A client without ALPN gets here only if the context admits it.
        guard channel.negotiatedProtocol ?? "h2" == "h2" else { return channel.abort(.tls(.noCommonProtocol)) }
        do throws(HTTP2Error) {
            session = try HTTP2Session(
                role: .server,
                settings: limits.settings,
                bodyBudget: service?.budget,
                now: loop.now
            )
        } catch {
            return channel.abort(.http2(error))
        }
        openedAt = loop.now
        lastStreamAt = openedAt
        handler = makeHandler?(self)
        if service != nil { remoteHost = channel.remoteHost }
        makeHandler = nil
        planSweep()
        planFlush()
    }

    package func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        guard let session else { return }
        do throws(HTTP2Error) {
            try session.receive(bytes, now: loop.now)
        } catch {
            return channel.abort(.http2(error))
        }
        handleEvents(session)
        planFlush()
    }

    package func channelIsWritable(_ channel: TLSChannel) {
        planFlush()
    }

    package func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {
        isClosed = true
        sweepTimer?.cancel()
        drainTimer?.cancel()
        hold.cancel()
        session?.discardBodies()
        exchanges = exchanges.map { _ in Exchange() }
        handler?.connectionDidClose()
        handler = nil
        makeHandler = nil
        onClosed?(self)
        onClosed = nil
    }

    package func handleTurnEnd() {
        isTurnEndPlanned = false
        flush()
    }
}

/// Right to respond to one request, once, at any time, from any thread. Later responses are dropped.
package struct HTTP2Responder: Sendable {
    private let connection: LoopBound<HTTP2ServerConnection>
    private let slot: Int
    /// Odd, and higher than that of every earlier request.
    package let streamID: Int32

    init(connection: LoopBound<HTTP2ServerConnection>, slot: Int, streamID: Int32) {
        self.connection = connection
        self.slot = slot
        self.streamID = streamID
    }

    /// `headers` are all fields but `:status`, in lower case.
    package func respond(status: Int, headers: HeaderBlock = HeaderBlock(), body: [UInt8] = []) {
        guard connection.loop.isOnLoop else {
            let (connection, slot, streamID) = (connection, slot, streamID)
            return connection.loop.perform {
                connection.value.respond(slot, streamID, status: status, headers, .bytes(body))
            }
        }
        connection.value.respond(slot, streamID, status: status, headers, .bytes(body))
    }

    /// Resets the stream instead; `code` as in RFC 9113 section 7.
    package func reset(code: UInt32) {
        let (connection, slot, streamID) = (connection, slot, streamID)
        connection.loop.perform { connection.value.reset(slot, streamID, code: code) }
    }
}
