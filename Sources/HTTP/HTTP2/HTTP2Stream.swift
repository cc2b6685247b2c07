import Networking

/// Session's state of one stream. Each event is one call, since every access to the session's list is checked for
/// exclusivity.
struct HTTP2Stream {
    /// 0: a free slot.
    var id: Int32 = 0
    var openedAt = MonotonicTime(nanoseconds: 0)
    var incoming = HTTP2Session.Message()
    var headerByteCount = 0
    /// Server with a body budget: this request's body.
    var bodyBuffer = HTTPBodyBuffer()
    /// True once later fields are trailers, which are ignored.
    var isHeadDone = false
    var isMessageDone = false
    /// True once a reset is sent or queued.
    var isAbandoned = false
    /// True once nghttp2 has framed the head: the peer may see it.
    var isWritten = false
    /// An interim response (RFC 9110 section 15.2) is queued.
    var isInterimUnwritten = false
    var head = HTTP2Head()
    var outgoing: [UInt8] = []
    var outgoingOffset = 0
    /// Server: the rest of the response's file.
    var file: HTTPFileStream?

    var unsentByteCount: Int { outgoing.count - outgoingOffset }

    /// - Returns: unsent body bytes.
    mutating func free(keepsHeaderMemory: Bool, _ bodyBudget: HTTPBodyBudget?) -> Int {
        let unsentByteCount = unsentByteCount
        if let bodyBudget { bodyBuffer.discard(bodyBudget) }
        reset(keepsHeaderMemory: keepsHeaderMemory)
        return unsentByteCount
    }

    private mutating func reset(keepsHeaderMemory: Bool) {
        var (fields, headers) = (HeaderBlock(), HeaderBlock())
        if keepsHeaderMemory {
            swap(&fields, &head.fields)
            swap(&headers, &incoming.headers)
        }
        self = HTTP2Stream()
        if fields.hasSmallMemory { swap(&fields, &head.fields) }
        guard headers.hasSmallMemory else { return }
        headers.removeAll()
        swap(&headers, &incoming.headers)
    }

    // MARK: Incoming

    mutating func open(_ streamID: Int32, at now: MonotonicTime) {
        id = streamID
        openedAt = now
        incoming.headers.reserveCapacity(byteCount: 512, fieldCount: 16)
    }

    /// - Returns: length of all fields so far.
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

    /// - Returns: true for the message's first headers, and true for a whole message.
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

    /// - Returns: true if the message is whole, unless the stream was reset.
    mutating func didEndBody() -> Bool { !isAbandoned && didEndMessage() }

    mutating func takeMessage() -> HTTP2Session.Message {
        var message = HTTP2Session.Message()
        swap(&message, &incoming)
        return message
    }

    mutating func didEndMessage() -> Bool {
        guard !isMessageDone else { return false }
        isMessageDone = true
        return true
    }

    // MARK: Outgoing

    /// True once everything submitted is framed.
    var isOutgoingDone: Bool { isWritten && outgoingOffset == outgoing.count && file == nil }

    mutating func submit(_ streamID: Int32, _ fields: HeaderBlock, _ body: [UInt8]) {
        id = streamID
        head.fields.replaceAll(with: fields)
        outgoing = body
    }

    /// - Returns: stream's id, and the unsent bytes of a replaced body.
    mutating func submit(_ head: HTTP2Head, _ body: HTTPAnswer.Body) -> (id: Int32, dropped: Int) {
        let dropped = unsentByteCount
        self.head = head
        outgoing = body.bytesInMemory
        outgoingOffset = 0
        file = HTTPFileStream(body)
        return (id, dropped)
    }

    /// - Returns: the head to be written.
    mutating func didWriteHead() -> HTTP2Head {
        guard isInterimUnwritten else {
            isWritten = true
            return head
        }
        isInterimUnwritten = false
        return HTTP2Head(status: 100)
    }

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

    /// Returns nil if the file is too short or unreadable.
    mutating func readFile(into buffer: UnsafeMutableBufferPointer<UInt8>) -> (byteCount: Int, isEnd: Bool)? {
        guard let byteCount = unsafe file?.read(into: buffer), byteCount > 0 else { return nil }
        let isEnd = file?.isDone ?? true
        if isEnd { file = nil }
        return (byteCount, isEnd)
    }
}
