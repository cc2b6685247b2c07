import Glibc
import Networking

extension HTTP1Connection {
    /// Answers, unless the request has its answer or the connection is closed.
    func respond(_ number: Int, _ answer: HTTPAnswer) {
        let stream: HTTPBodyStream? = if case .stream(let stream) = answer.body { stream } else { nil }
        guard !isClosed, phase != .ended, request.number == number, !request.isAnswered else {
            stream?.close()
            return
        }
        request.isAnswered = true
        request.exchange = nil
        request.bodyBuffer.discard(service.budget)
        // The client may send its body or not: the next request's start is unknown.
        let isRestUnclear = request.awaitsContinue && request.unreadByteCount > 0
        if stream != nil || isRestUnclear || isDraining
            || request.unreadByteCount > service.limits.discardedByteCountMax
        {
            request.closes = true
        }
        if respondedAt == nil || channel.unsentByteCount == 0 { respondedAt = channel.loop.now }
        if answer.isRefusal { didRefuse() }
        output.append(head(of: answer, closes: request.closes).span)
        if !request.isHead, Self.hasBody(answer.status) {
            output.append(answer.body.bytesInMemory.span)
            file = HTTPFileStream(answer.body)
            if let stream { begin(stream) }
        } else {
            stream?.close()
        }
        if request.closes || request.unreadByteCount == 0 { didEndRequest() } else { pump() }
        process()
    }

    /// Its bytes follow until it finishes or the client goes; the end of the connection is the body's (RFC 9112
    /// section 6.3).
    private func begin(_ stream: HTTPBodyStream) {
        self.stream = stream
        let box = LoopBound(self, to: channel.loop)
        stream.attach { box.loop.perform { box.value.pump() } }
    }

    func didEndRequest() {
        lastRequestAt = channel.loop.now
        if request.closes {
            phase = .answer
        } else {
            phase = .head
        }
        pump()
    }

    func write(_ bytes: [UInt8]) {
        output.append(bytes.span)
        pump()
    }

    func pump() {
        while !isClosed, channel.isWritable, hasOutput() {
            let byteCount = min(output.byteCount, Self.pieceByteCount)
            do throws(TransportError) {
                try output.withBytes { (bytes) throws(TransportError) in
                    try channel.write(bytes.extracting(first: byteCount))
                }
            } catch {
                return channel.abort(error, resets: false)
            }
            output.removeFirst(byteCount)
        }
        guard isOutputDone, !isClosed else { return }
        if phase == .answer && request.isAnswered || isDraining && isIdle { end() }
    }

    /// Takes the file's or the stream's next piece if nothing is in memory.
    private func hasOutput() -> Bool {
        if output.isEmpty, let stream { takePiece(of: stream) }
        guard output.isEmpty, var file else { return !output.isEmpty }
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceByteCount) { buffer, count in
            count = unsafe file.read(into: buffer)
        }
        guard !piece.isEmpty else {
            channel.abort(.system(call: "pread", code: EIO), resets: true)
            return false
        }
        self.file = file.isDone ? nil : file
        respondedAt = channel.loop.now
        output.append(piece.span)
        return true
    }

    private func takePiece(of stream: HTTPBodyStream) {
        let (bytes, isFinished) = stream.take()
        if respondedAt == nil, !bytes.isEmpty { respondedAt = channel.loop.now }
        output.append(bytes.span)
        if isFinished { endStream() }
    }

    func endStream() {
        stream?.close()
        stream = nil
    }

    private static let pieceByteCount = HTTPFileStream.pieceByteCount

    /// RFC 9110 section 8.6: no length with these, and no body.
    private static func hasBody(_ status: Int) -> Bool { status != 204 && status != 304 }

    private func head(of answer: HTTPAnswer, closes: Bool) -> [UInt8] {
        let fields = service.dated(answer.fields)
        var head: [UInt8] = []
        head.reserveCapacity(128 + fields.bytes.count + 4 * fields.count)
        head += "HTTP/1.1 ".utf8
        head += String(answer.status).utf8
        head += " \r\n".utf8
        for index in 0..<fields.count {
            let field = fields[index]
            // Skips a field that would end its line.
            guard !field.name.contains(where: Self.isControl), !field.value.contains(where: Self.isControl) else {
                continue
            }
            head += field.name
            head += ": ".utf8
            head += field.value
            head += "\r\n".utf8
        }
        let isStream = if case .stream = answer.body { true } else { false }
        if Self.hasBody(answer.status), !isStream {
            head += "content-length: ".utf8
            head += String(answer.body.byteCount).utf8
            head += "\r\n".utf8
        }
        if closes { head += "connection: close\r\n".utf8 }
        head += "\r\n".utf8
        return head
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7F }
}
