import CNGHTTP2

/// What nghttp2 reports, through its callbacks.
extension HTTP2Session {
    /// Server: a stream opens. Client: a response begins, or goes on after a 1xx.
    func didBeginHeaders(streamID: Int32, opensStream: Bool) -> Int32 {
        headerBlockBegan = now
        guard role == .server, opensStream else { return 0 }
        let slot = takeSlot()
        streams[slot].id = streamID
        streams[slot].openedAt = now
        streams[slot].incoming.headers.reserveCapacity(byteCount: 512, fieldCount: 16)
        return unsafe nghttp2_session_set_stream_user_data(
            handle,
            streamID,
            UnsafeMutableRawPointer(bitPattern: slot + 1)
        )
    }

    func didReceiveHeader(
        streamID: Int32,
        _ name: UnsafeBufferPointer<UInt8>,
        _ value: UnsafeBufferPointer<UInt8>
    ) {
        guard let slot = slot(of: streamID) else { return }
        unsafe streams[slot].didReceiveHeader(name, value, role, settings)
    }

    func didReceiveHeaders(streamID: Int32, endsStream: Bool) {
        headerBlockBegan = nil
        guard let slot = slot(of: streamID) else { return }
        if streams[slot].didReceiveHeaders(role, endsStream: endsStream) { report(.message(slot: slot)) }
    }

    /// nghttp2 resets the stream, throws away what is left of the block and reports nothing more of it.
    func didReceiveMalformedHeaders() {
        headerBlockBegan = nil
    }

    func didReceiveBody(streamID: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard let slot = slot(of: streamID), !streams[slot].isAbandoned else { return }
        streams[slot].incoming.bodyByteCount += bytes.count
        let byteCount = streams[slot].incoming.bodyByteCount
        if byteCount <= settings.bodyByteCountMax {
            unsafe streams[slot].incoming.body.append(contentsOf: bytes)
        } else if byteCount <= settings.bodyByteCountHardMax {
            streams[slot].incoming.body = []
        } else {
            // The only failure is a lack of memory, which nghttp2 reports from the next call anyway.
            try? reset(slot, code: NGHTTP2_CANCEL.rawValue)
            report(.bodyTooLarge(slot: slot))
        }
    }

    func didReceiveData(streamID: Int32, byteCount: Int, endsStream: Bool) {
        if byteCount == 0, !endsStream { didReceiveIdleFrame() }
        guard endsStream, let slot = slot(of: streamID), !streams[slot].isAbandoned else { return }
        if streams[slot].didEndMessage() { report(.message(slot: slot)) }
    }

    func didReceiveSettings() {
        hasPeerSettings = true
        report(.settings)
    }

    func didReceiveGoAway(_ goAway: GoAway) {
        // A second one may only lower the number (RFC 9113 section 6.8), and nghttp2 checks that.
        peerGoAway = goAway
        report(.goAway)
    }

    /// nghttp2 says it for what the peer does wrong; a server says it for reasons of its own, too.
    func didSendGoAway(code: UInt32) {
        guard role == .client, code != NGHTTP2_NO_ERROR.rawValue else { return }
        violation = .violation(code: code)
    }

    func didWriteHead(streamID: Int32) {
        guard let slot = slot(of: streamID) else { return }
        streams[slot].isWritten = true
    }

    func didClose(streamID: Int32, code: UInt32) {
        guard let slot = slot(of: streamID) else { return }
        lastStreamID = -1
        report(.closed(slot: slot, code: code))
    }

    /// Copies the next piece of an outgoing body.
    func readBody(_ slot: Int, into buffer: UnsafeMutableBufferPointer<UInt8>) -> (byteCount: Int, isEnd: Bool) {
        guard slot < streams.count else { return (0, true) }
        let byteCountMax = sendPace.byteCountToMark(window: sendWindowByteCount)
        let piece = unsafe UnsafeMutableBufferPointer(rebasing: buffer[..<min(buffer.count, byteCountMax)])
        let (byteCount, isEnd) = unsafe streams[slot].readBody(into: piece)
        unsentBodyByteCount -= byteCount
        sendPace.didSend(byteCount)
        if !isEnd {
            cutSlot = slot
        } else if cutSlot == slot {
            cutSlot = -1
        }
        return (byteCount, isEnd)
    }
}
