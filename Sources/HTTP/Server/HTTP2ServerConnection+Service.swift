import CNGHTTP2
import Networking

extension HTTP2ServerConnection {
    func didReceiveHead(_ slot: Int, _ session: HTTP2Session) {
        guard let service else { return }
        let message = session.takeMessage(slot)
        let streamID = session.streamID(slot)
        while exchanges.count <= slot { exchanges.append(Exchange()) }
        let fields = message.headers
        let isHead = fields[":method"]?.elementsEqual("HEAD".utf8) ?? false
        exchanges[slot] = Exchange(
            streamID: streamID,
            requestDeadline: service.limits.deadline(of: nil),
            isHead: isHead && !message.isHeaderTooLarge
        )
        guard !message.isHeaderTooLarge else { return answer(slot, streamID, HTTPRequestError.headTooLarge.answer) }
        let head = HTTPHead(fields: fields, remoteAddress: remoteHost)
        if let refusal = head.refusal { return answer(slot, streamID, refusal.answer) }
        switch service.begin(head) {
        case .answer(let answer): self.answer(slot, streamID, answer)
        case .read(let byteCountMax, let share, let exchange):
            if case .keyed = share { onKeyAccepted?() }
            // The application may have closed the connection.
            guard !isClosed, exchanges[slot].streamID == streamID else { return }
            exchanges[slot].requestDeadline = service.limits.deadline(of: share)
            read(slot, streamID, fields, byteCountMax, share, exchange, session)
        }
    }

    private func read(
        _ slot: Int,
        _ streamID: Int32,
        _ fields: HeaderBlock,
        _ byteCountMax: Int,
        _ share: HTTPBodyShare,
        _ exchange: any HTTPExchange,
        _ session: HTTP2Session
    ) {
        // nghttp2 refuses lengths that are no number or not the body's.
        let announced = fields["content-length"].map(Self.number) ?? 0
        guard announced <= byteCountMax else {
            session.discardBody(slot)
            return exchange.finish(.tooLarge(byteCount: announced), responder(slot, streamID))
        }
        exchanges[slot].reading = exchange
        // Now, not as an event: the request's end may be queued.
        if let fault = session.keepBody(slot, byteCountMax: byteCountMax, share) {
            return didRefuseBody(slot, fault, session)
        }
        let waits = fields["expect"] != nil && session.bodyByteCount(slot) == 0 && !session.isMessageWhole(slot)
        if waits { attempt { () throws(HTTP2Error) in try session.submitContinue(slot) } }
    }

    /// Saturates at `Int.max`.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int {
        var number = 0
        for digit in digits {
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            guard !overflow, product <= Int.max - 9 else { return .max }
            number = product + Int(digit & 0x0F)
        }
        return number
    }

    func didReceiveBody(_ slot: Int, _ session: HTTP2Session) {
        // It may have been answered early.
        guard slot < exchanges.count, let (exchange, streamID) = exchanges[slot].takeReading() else { return }
        exchange.finish(.whole(session.takeBody(slot)), responder(slot, streamID))
    }

    func didRefuseBody(_ slot: Int, _ fault: HTTPBodyError, _ session: HTTP2Session) {
        guard slot < exchanges.count, let (exchange, streamID) = exchanges[slot].takeReading() else { return }
        let body: HTTPBody =
            switch fault {
            case .tooLarge: .tooLarge(byteCount: session.bodyByteCount(slot))
            case .noRoom: .noRoom
            }
        exchange.finish(body, responder(slot, streamID))
    }

    private func responder(_ slot: Int, _ streamID: Int32) -> HTTPResponder {
        let box = LoopBound(self, to: loop)
        return HTTPResponder { answer in
            guard box.loop.isOnLoop else { return box.loop.perform { box.value.answer(slot, streamID, answer) } }
            box.value.answer(slot, streamID, answer)
        }
    }

    /// Answers, unless the stream has closed or has its answer.
    private func answer(_ slot: Int, _ streamID: Int32, _ answer: HTTPAnswer) {
        guard !isClosed, let session, exchanges[slot].streamID == streamID, exchanges[slot].respondedAt == nil else {
            return
        }
        if case .stream(let stream) = answer.body {
            stream.close()
            return self.answer(slot, streamID, HTTPAnswer(status: 505))
        }
        exchanges[slot].reading = nil
        if answer.isRefusal { didRefuse() }
        // RFC 9110 section 8.6.
        let hasBody = answer.status != 204 && answer.status != 304
        let body: HTTPAnswer.Body = hasBody && !exchanges[slot].isHead ? answer.body : .bytes([])
        session.discardBody(slot)
        if !session.isMessageWhole(slot) { answeredEarly.append((slot, streamID)) }
        let contentLength = hasBody ? answer.body.byteCount : nil
        let fields = service?.dated(answer.fields) ?? answer.fields
        respond(slot, streamID, status: answer.status, fields, contentLength: contentLength, body)
    }

    private func didRefuse() {
        guard let service else { return }
        hold.didRefuse(service) { [weak self] in
            guard let self, !isClosed else { return }
            channel.resumeReading()
        }
        if hold.isHolding { channel.pauseReading() }
    }

    /// Resets answered, unfinished requests (RFC 9113 section 8.1); true if there are any.
    func resetAnsweredEarly(_ session: HTTP2Session) -> Bool {
        var hasReset = false
        answeredEarly.removeAll { slot, streamID in
            guard exchanges[slot].streamID == streamID, session.streamID(slot) == streamID else { return true }
            guard session.isOutgoingDone(slot) else { return false }
            if !session.isMessageWhole(slot) {
                hasReset = true
                attempt { () throws(HTTP2Error) in try session.reset(slot, code: NGHTTP2_NO_ERROR.rawValue) }
            }
            return true
        }
        return hasReset
    }
}
