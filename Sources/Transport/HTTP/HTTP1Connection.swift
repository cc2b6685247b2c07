/// One client's connection of HTTP/1.1: requests one after another, each with its answer before the next is looked at.
/// Lives on the server's loop.
///
/// No library's: libevent's evhttp reads every body before the application can refuse it, takes no connection whose TLS is
/// done, and lets pass what readers disagree about.
final class HTTP1Connection {
    /// Where the connection is with the request at hand.
    enum Phase {
        /// Its head has not come whole.
        case head
        /// Bytes of its body are to come: kept, or thrown away when it has its answer.
        case body
        /// All of it is there, and its answer is not.
        case answer
        /// No request is read any more.
        case ended
    }

    /// The request at hand, from the end of its head on.
    struct Request {
        /// Counted from 1; tells a late answer from the next request's.
        var number = 0
        var isHead = false
        var closes = false
        /// It has not been asked for its body.
        var awaitsContinue = false
        var unreadByteCount = 0
        /// Which memory its body takes; nil: none is kept.
        var share: HTTPBodyShare?
        var isAnswered = true
        var intake = HTTPBodyIntake()
        var exchange: (any HTTPExchange)?
    }

    let service: HTTPService
    let channel: any ByteChannel
    private let remoteAddress: String?
    private let onKeyAccepted: () -> Void
    private var onClosed: (() -> Void)?
    private(set) var input = ByteQueue()
    var output = ByteQueue()
    /// What of an answer's file is to follow `output`.
    var file: HTTPFileStream?
    var phase = Phase.head
    var request = Request()
    private var headEnd = HTTP1HeadEnd()
    /// When the first byte of a request came that has not come whole.
    private var beganAt: MonotonicTime?
    var lastRequestAt: MonotonicTime
    /// When an answer was begun that has not been taken whole.
    var respondedAt: MonotonicTime?
    private var sweepTimer: LoopTimer?
    private var drainTimer: LoopTimer?
    private(set) var isDraining = false
    private(set) var isClosed = false
    private var isProcessing = false
    /// Enough has come that has no answer.
    private var isFull = false
    private(set) var isReadingPaused = false
    private let hold = RefusalHold()

    /// Begins to serve. On the loop.
    ///
    /// - Parameters:
    ///   - channel: open.
    ///   - service: the server's.
    ///   - remoteAddress: without the port; nil for a caller on this machine.
    ///   - onKeyAccepted: called for each request whose key was accepted.
    ///   - onClosed: called once, when nothing is left of the connection.
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

    /// Answers what was begun, and ends.
    func drain() {
        guard !isDraining, !isClosed else { return }
        isDraining = true
        switch phase {
        case .head: if isIdle { return end() }
        case .body:
            request.closes = true
            if request.isAnswered { didEndRequest() }
        case .answer: request.closes = true
        case .ended: return
        }
        drainTimer = channel.loop.schedule(after: service.limits.drainDeadline) { [weak self] in
            guard let self else { return }
            drainTimer = nil
            channel.abort(.deadlineExceeded(.close), resets: false)
        }
    }

    /// No request has begun, and the last one's answer is on its way.
    var isIdle: Bool { phase == .head && input.isEmpty && isOutputDone }

    /// All of the answers has gone to the channel.
    var isOutputDone: Bool { output.isEmpty && file == nil }

    // MARK: Requests

    /// Goes on for as long as there is something to do with what has come.
    func process() {
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        while !isClosed, takeStep() {}
        // Requests that come before the answer wait here to a limit, and then in TCP's own buffers.
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

    /// A request was answered with 429. Those behind it may have to wait for a moment.
    func didRefuse() {
        hold.didRefuse(service) { [weak self] in self?.process() }
        updateReading()
    }

    /// - Returns: whether another may follow.
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
            do throws(HTTPRefusal) {
                begin(try HTTP1RequestHead(head, fieldCountMax: service.limits.headerFieldCountMax))
            } catch {
                refuse(error)
            }
        }
        return true
    }

    /// RFC 9112 section 2.2: some clients send one behind a body. All of them, so that it does not matter how they come.
    private func skipEmptyLines() {
        while input.withBytes({ bytes in bytes.count >= 2 && bytes[0] == 0x0D && bytes[1] == 0x0A }) {
            input.removeFirst(2)
        }
    }

    /// The rest of it is still to come: no request has begun.
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
                request.intake.discard(service.budget)
                return exchange.finish(.tooLarge(byteCount: head.bodyByteCount), responder)
            }
            guard phase == .body else { return exchange.finish(.whole([]), responder) }
            request.exchange = exchange
            request.share = share
            // Nothing of it has been taken: there is nothing to refuse.
            _ = request.intake.keep(byteCountMax: byteCountMax, share, service.budget)
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
                unsafe request.intake.append(piece, service.budget)
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
            if request.isAnswered { didEndRequest() } else { finish(.whole(request.intake.take())) }
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

    /// What comes behind it is not looked at.
    private func refuse(_ refusal: HTTPRefusal) {
        if request.isAnswered { request = Request(number: request.number + 1, isAnswered: false) }
        request.closes = true
        request.exchange = nil
        beganAt = nil
        phase = .answer
        input.removeAll()
        respond(request.number, refusal.answer)
    }

    // MARK: Time

    /// A look at everything that has a deadline, four times per shortest one.
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
        if respondedAt != nil, isOutputDone, channel.unsentByteCount == 0 { respondedAt = nil }
        if let respondedAt, respondedAt + limits.responseDeadline <= now {
            return channel.abort(.deadlineExceeded(.request), resets: true)
        }
        if phase == .head, beganAt == nil, respondedAt == nil, lastRequestAt + limits.idleDeadline <= now { end() }
    }

    // MARK: Ending

    /// The last bytes are on their way; TLS's goodbye follows them.
    func end() {
        phase = .ended
        input.removeAll()
        channel.close()
    }
}

extension HTTP1Connection: ByteChannelOwner {
    func channelDidReceive(_ bytes: Span<UInt8>) {
        // Behind the last answer nothing is read.
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
        request.intake.discard(service.budget)
        input.removeAll()
        output.removeAll()
        file = nil
        onClosed?()
        onClosed = nil
    }
}
