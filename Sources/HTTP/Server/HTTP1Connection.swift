import Networking

/// Client's HTTP/1.1 connection, one request after another. Lives on the server's loop.
///
/// Not libevent's evhttp: it reads every body before the application can refuse it, takes no connection whose TLS is
/// done, and accepts ambiguous requests.
final class HTTP1Connection {
    enum Phase {
        case head
        /// Body bytes are due: kept, or discarded after the response.
        case body
        /// Whole request, without its response.
        case answer
        case ended
    }

    struct Request {
        /// Counted from 1; tells a late response from the next request's.
        var number = 0
        var isHead = false
        var closes = false
        /// True while the client waits for 100 Continue.
        var awaitsContinue = false
        var unreadByteCount = 0
        /// Memory share of the body; nil: none is kept.
        var share: HTTPBodyShare?
        var isAnswered = true
        var bodyBuffer = HTTPBodyBuffer()
        var exchange: (any HTTPExchange)?
    }

    let service: HTTPService
    let channel: any ByteChannel
    private let remoteAddress: String?
    private let onKeyAccepted: () -> Void
    private var onClosed: (() -> Void)?
    private(set) var input = ByteQueue()
    var output = ByteQueue()
    /// Rest of a response's file, after `output`.
    var file: HTTPFileStream?
    /// Body that follows `output` as it is written.
    var stream: HTTPBodyStream?
    var phase = Phase.head
    var request = Request()
    private var headEnd = HTTP1HeadEnd()
    /// First byte of the unfinished request.
    private var beganAt: MonotonicTime?
    var lastRequestAt: MonotonicTime
    /// Start of a response that the peer has not taken whole.
    var respondedAt: MonotonicTime?
    private var sweepTimer: LoopTimer?
    private var drainTimer: LoopTimer?
    private(set) var isDraining = false
    private(set) var isClosed = false
    private var isProcessing = false
    /// True while too much input waits for a response.
    private var isFull = false
    private(set) var isReadingPaused = false
    private let hold = RefusalPause()

    /// Begins to serve. On the loop.
    ///
    /// - Parameters:
    ///   - remoteAddress: without the port; nil for a local caller.
    ///   - onKeyAccepted: called for each request with an accepted key.
    init(
        _ channel: any ByteChannel,
        service: HTTPService,
        remoteAddress: String?,
        onKeyAccepted: @escaping () -> Void,
        onClosed: @escaping () -> Void
    ) {
        self.channel = channel
        self.service = service
        self.remoteAddress = remoteAddress
        self.onKeyAccepted = onKeyAccepted
        self.onClosed = onClosed
        lastRequestAt = channel.loop.now
        planSweep()
    }

    /// Answers the current request, then ends.
    func drain() {
        guard !isDraining, !isClosed else { return }
        isDraining = true
        switch phase {
        case .head: if isIdle { return end() }
        case .body:
            request.closes = true
            if request.isAnswered { didEndRequest() }
        case .answer:
            request.closes = true
            endStream()
            pump()
        case .ended: return
        }
        drainTimer = channel.loop.schedule(after: service.limits.drainDeadline) { [weak self] in
            guard let self else { return }
            drainTimer = nil
            channel.abort(.deadlineExceeded(.close), resets: false)
        }
    }

    var isIdle: Bool { phase == .head && input.isEmpty && isOutputDone }

    var isOutputDone: Bool { isPieceDone && stream == nil }

    private var isPieceDone: Bool { output.isEmpty && file == nil }

    // MARK: Requests

    func process() {
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        while !isClosed, takeStep() {}
        // Pipelined requests wait here to a limit, then in TCP's own buffers.
        let waits = phase == .answer || !isOutputDone
        isFull = waits && (isFull || input.byteCount > service.limits.headerByteCountMax)
        updateReading()
    }

    private func updateReading() {
        let isReadingPaused = isFull || hold.isHolding
        guard isReadingPaused != self.isReadingPaused, !isClosed else { return }
        self.isReadingPaused = isReadingPaused
        if isReadingPaused { channel.pauseReading() } else { channel.resumeReading() }
    }

    /// A response of 429 may delay later requests.
    func didRefuse() {
        hold.didRefuse(service) { [weak self] in self?.process() }
        updateReading()
    }

    /// - Returns: true if another step may follow.
    private func takeStep() -> Bool {
        switch phase {
        case .head: isOutputDone && !hold.isHolding && takeHead()
        case .body: takeBody()
        case .answer, .ended: false
        }
    }

    private func takeHead() -> Bool {
        if beganAt == nil { skipEmptyLines() }
        guard !input.isEmpty, beganAt != nil || !isHalfEmptyLine else { return false }
        if beganAt == nil { beganAt = channel.loop.now }
        let finding = input.withBytes { bytes in headEnd.find(in: bytes) }
        let byteCountMax = service.limits.headerByteCountMax
        switch finding {
        case .malformed: refuse(.headMalformed)
        case .incomplete:
            guard input.byteCount > byteCountMax else { return false }
            refuse(.headTooLarge)
        case .head(let byteCount) where byteCount > byteCountMax: refuse(.headTooLarge)
        case .head(let byteCount):
            let head = input.withBytes { bytes in
                unsafe bytes.extracting(first: byteCount).withUnsafeBufferPointer { unsafe Array($0) }
            }
            input.removeFirst(byteCount)
            headEnd = HTTP1HeadEnd()
            do throws(HTTPRequestError) {
                begin(try HTTP1RequestHead(head, fieldCountMax: service.limits.headerFieldCountMax))
            } catch {
                refuse(error)
            }
        }
        return true
    }

    /// Some clients send an empty line after a body (RFC 9112 section 2.2). All are skipped, however they are split.
    private func skipEmptyLines() {
        while input.withBytes({ bytes in bytes.count >= 2 && bytes[0] == 0x0D && bytes[1] == 0x0A }) {
            input.removeFirst(2)
        }
    }

    /// Only an empty line's CR has arrived.
    private var isHalfEmptyLine: Bool { input.withBytes { bytes in bytes.count == 1 && bytes[0] == 0x0D } }

    private func begin(_ head: HTTP1RequestHead) {
        let asked = HTTPHead(fields: head.fields, remoteAddress: remoteAddress)
        if let refusal = asked.refusal { return refuse(refusal) }
        request = Request(
            number: request.number + 1,
            isHead: head.fields[":method"]?.elementsEqual("HEAD".utf8) ?? false,
            closes: head.closes || isDraining,
            awaitsContinue: head.expectsContinue,
            unreadByteCount: head.bodyByteCount,
            isAnswered: false
        )
        phase = head.bodyByteCount > 0 ? .body : .answer
        if phase == .answer { beganAt = nil }
        switch service.begin(asked) {
        case .answer(let answer): respond(request.number, answer)
        case .read(let byteCountMax, let share, let exchange):
            if case .keyed = share { onKeyAccepted() }
            guard head.bodyByteCount <= byteCountMax else {
                request.bodyBuffer.discard(service.budget)
                return exchange.finish(.tooLarge(byteCount: head.bodyByteCount), responder)
            }
            guard phase == .body else { return exchange.finish(.whole([]), responder) }
            request.exchange = exchange
            request.share = share
            _ = request.bodyBuffer.keep(byteCountMax: byteCountMax, share, service.budget)
            askForBody()
        }
    }

    private func askForBody() {
        guard request.awaitsContinue, input.isEmpty else { return }
        request.awaitsContinue = false
        write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }

    private func takeBody() -> Bool {
        let byteCount = min(input.byteCount, request.unreadByteCount)
        guard byteCount > 0 else { return false }
        request.awaitsContinue = false
        request.unreadByteCount -= byteCount
        let fault = input.withBytes { bytes in
            unsafe bytes.extracting(first: byteCount).withUnsafeBufferPointer { piece in
                unsafe request.bodyBuffer.append(piece, service.budget)
            }
        }
        input.removeFirst(byteCount)
        if request.unreadByteCount == 0 {
            beganAt = nil
            phase = .answer
        }
        if fault != nil {
            finish(.noRoom)
        } else if phase == .answer {
            if request.isAnswered { didEndRequest() } else { finish(.whole(request.bodyBuffer.take())) }
        }
        return true
    }

    private func finish(_ body: HTTPBody) {
        guard let exchange = request.exchange else { return }
        request.exchange = nil
        exchange.finish(body, responder)
    }

    private var responder: HTTPResponder {
        let box = LoopBound(self, to: channel.loop)
        let number = request.number
        return HTTPResponder { answer in
            guard box.loop.isOnLoop else { return box.loop.perform { box.value.respond(number, answer) } }
            box.value.respond(number, answer)
        }
    }

    /// Ignores all input after it.
    private func refuse(_ refusal: HTTPRequestError) {
        if request.isAnswered { request = Request(number: request.number + 1, isAnswered: false) }
        request.closes = true
        request.exchange = nil
        beganAt = nil
        phase = .answer
        input.removeAll()
        respond(request.number, refusal.answer)
    }

    // MARK: Time

    /// Checks all deadlines, four times per shortest one.
    private func planSweep() {
        let shortest = service.limits.shortestDeadline
        sweepTimer = channel.loop.schedule(after: max(shortest / 4, .milliseconds(1))) { [weak self] in
            guard let self else { return }
            sweep()
            if !isClosed { planSweep() }
        }
    }

    private func sweep() {
        let (now, limits) = (channel.loop.now, service.limits)
        let requestDeadline = limits.deadline(of: phase == .head ? nil : request.share)
        if let beganAt, beganAt + requestDeadline <= now {
            guard phase == .head || !request.isAnswered else { return end() }
            return refuse(.tooSlow)
        }
        if respondedAt != nil, isPieceDone, channel.unsentByteCount == 0 { respondedAt = nil }
        if let respondedAt, respondedAt + limits.responseDeadline <= now {
            return channel.abort(.deadlineExceeded(.request), resets: true)
        }
        if phase == .head, beganAt == nil, respondedAt == nil, lastRequestAt + limits.idleDeadline <= now { end() }
    }

    // MARK: Ending

    /// Closes behind the last bytes; TLS sends close_notify.
    func end() {
        phase = .ended
        input.removeAll()
        channel.close()
    }
}

extension HTTP1Connection: ByteChannelOwner {
    func channelDidReceive(_ bytes: Span<UInt8>) {
        guard phase != .ended, phase != .answer || !request.isAnswered else { return }
        input.append(bytes)
        process()
    }

    func channelIsWritable() {
        pump()
        process()
    }

    func channelDidClose() {
        isClosed = true
        phase = .ended
        sweepTimer?.cancel()
        drainTimer?.cancel()
        hold.cancel()
        request.exchange = nil
        request.bodyBuffer.discard(service.budget)
        input.removeAll()
        output.removeAll()
        file = nil
        endStream()
        onClosed?()
        onClosed = nil
    }
}
