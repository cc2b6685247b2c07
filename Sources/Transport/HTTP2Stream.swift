/// What a session keeps of one stream, in a slot. What happens to a stream is told to it in one call: each access to the
/// session's list of them is checked for exclusivity.
struct HTTP2Stream {
    /// 0: the slot is free.
    var id: Int32 = 0
    var openedAt = MonotonicTime(nanoseconds: 0)
    var incoming = HTTP2Session.Message()
    var headerByteCount = 0
    /// Server with a budget for bodies: what comes of this one.
    var intake = HTTPBodyIntake()
    /// What comes now is trailers, which nothing here uses.
    var isHeadDone = false
    var isMessageDone = false
    /// Reset by us, or on its way to be.
    var isAbandoned = false
    /// nghttp2 has turned the head into bytes: the peer may come to know of it.
    var isWritten = false
    /// An interim answer (RFC 9110 section 15.2) is on its way to become bytes.
    var isInterimUnwritten = false
    var outgoing: [UInt8] = []
    var outgoingOffset = 0
    /// Server: what of an answer's file is to be sent; nil once it is.
    var file: HTTPFileStream?

    var unsentByteCount: Int { outgoing.count - outgoingOffset }

    /// Free for the next one.
    ///
    /// - Parameters:
    ///   - keepsHeaderMemory: whether the next message's headers may lie where this one's did.
    ///   - bodyBudget: gets back what the request's body has of it.
    /// - Returns: how many bytes of the outgoing body never went.
    mutating func free(keepsHeaderMemory: Bool, _ bodyBudget: HTTPBodyBudget?) -> Int {
        let unsentByteCount = unsentByteCount
        if let bodyBudget { intake.discard(bodyBudget) }
        reset(keepsHeaderMemory: keepsHeaderMemory)
        return unsentByteCount
    }

    private mutating func reset(keepsHeaderMemory: Bool) {
        var headers = HeaderBlock()
        if keepsHeaderMemory { swap(&headers, &incoming.headers) }
        self = HTTP2Stream()
        guard keepsHeaderMemory, headers.hasSmallMemory else { return }
        headers.removeAll()
        swap(&headers, &incoming.headers)
    }

    // MARK: What comes

    /// Server: takes the slot for a request.
    mutating func open(_ streamID: Int32, at now: MonotonicTime) {
        id = streamID
        openedAt = now
        incoming.headers.reserveCapacity(byteCount: 512, fieldCount: 16)
    }

    /// - Returns: how long all of the message's fields are by now.
    mutating func didReceiveHeader(
        _ name: UnsafeBufferPointer<UInt8>,
        _ value: UnsafeBufferPointer<UInt8>,
        _ role: HTTP2Session.Role,
        _ settings: HTTP2Settings
    ) -> Int {
        guard !isHeadDone else { return headerByteCount }
        headerByteCount += name.count + value.count + 32
        guard headerByteCount <= settings.headerListByteCountMax, incoming.headers.count < settings.headerFieldCountMax
        else {
            incoming.isHeaderTooLarge = true
            return headerByteCount
        }
        if unsafe role == .client && name.count == 7 && value.count == 3 && name[0] == UInt8(ascii: ":") {
            // nghttp2 has checked that it is three digits.
            incoming.status = unsafe value.reduce(0) { $0 * 10 + Int($1 &- 48) }
            return headerByteCount
        }
        unsafe incoming.headers.append(name, value)
        return headerByteCount
    }

    /// - Returns: whether these were the message's first, and whether that was the whole message.
    mutating func didReceiveHeaders(_ role: HTTP2Session.Role, endsStream: Bool) -> (isHead: Bool, isWhole: Bool) {
        if role == .client, incoming.status < 200, !endsStream {
            incoming.headers.removeAll()
            headerByteCount = 0
            return (false, false)
        }
        let isHead = !isHeadDone
        isHeadDone = true
        return (isHead, endsStream && didEndMessage())
    }

    /// - Returns: whether that was the whole message, of a stream that has not been given up.
    mutating func didEndBody() -> Bool { !isAbandoned && didEndMessage() }

    /// Moves the message out.
    mutating func takeMessage() -> HTTP2Session.Message {
        var message = HTTP2Session.Message()
        swap(&message, &incoming)
        return message
    }

    /// - Returns: whether the message has not ended before.
    mutating func didEndMessage() -> Bool {
        guard !isMessageDone else { return false }
        isMessageDone = true
        return true
    }

    // MARK: What goes

    /// Whether the whole of what was submitted has become bytes.
    var isOutgoingDone: Bool { isWritten && outgoingOffset == outgoing.count && file == nil }

    /// Server: the answer's body.
    ///
    /// - Returns: the stream's number, and how many bytes of another body never went.
    mutating func submit(_ body: HTTPAnswer.Body) -> (id: Int32, dropped: Int) {
        let dropped = unsentByteCount
        outgoing = body.bytesInMemory
        outgoingOffset = 0
        file = HTTPFileStream(body)
        return (id, dropped)
    }

    mutating func didWriteHead() {
        // Heads leave in the order in which they were submitted.
        if isInterimUnwritten { isInterimUnwritten = false } else { isWritten = true }
    }

    /// Copies the next piece of the outgoing body.
    mutating func readBody(into buffer: UnsafeMutableBufferPointer<UInt8>) -> (byteCount: Int, isEnd: Bool) {
        let offset = outgoingOffset
        let byteCount = min(buffer.count, outgoing.count - offset)
        unsafe outgoing.withUnsafeBufferPointer { outgoing in
            let piece = unsafe UnsafeBufferPointer(rebasing: outgoing[offset..<offset + byteCount])
            unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: UnsafeRawBufferPointer(piece))
        }
        outgoingOffset = offset + byteCount
        return (byteCount, outgoingOffset == outgoing.count)
    }

    /// Reads the next piece of the answer's file.
    ///
    /// - Returns: nil where the file is shorter than its slice, or cannot be read.
    mutating func readFile(into buffer: UnsafeMutableBufferPointer<UInt8>) -> (byteCount: Int, isEnd: Bool)? {
        guard let byteCount = unsafe file?.read(into: buffer), byteCount > 0 else { return nil }
        let isEnd = file?.isDone ?? true
        if isEnd { file = nil }
        return (byteCount, isEnd)
    }
}
