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
        guard let slot = slot(of: streamID), !streams[slot].isHeadDone else { return }
        streams[slot].headerByteCount += name.count + value.count + 32
        guard streams[slot].headerByteCount <= settings.headerListByteCountMax,
            streams[slot].incoming.headers.count < settings.headerFieldCountMax
        else {
            streams[slot].incoming.isHeaderTooLarge = true
            return
        }
        if unsafe role == .client && name.count == 7 && value.count == 3 && name[0] == UInt8(ascii: ":") {
            // nghttp2 has checked that it is three digits.
            streams[slot].incoming.status = unsafe value.reduce(0) { $0 * 10 + Int($1 &- 48) }
            return
        }
        unsafe streams[slot].incoming.headers.append(name, value)
    }

    func didReceiveHeaders(streamID: Int32, endsStream: Bool) {
        headerBlockBegan = nil
        guard let slot = slot(of: streamID) else { return }
        if role == .client, streams[slot].incoming.status < 200, !endsStream {
            streams[slot].incoming.headers.removeAll()
            streams[slot].headerByteCount = 0
            return
        }
        streams[slot].isHeadDone = true
        if endsStream { didEndMessage(slot) }
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
        didEndMessage(slot)
    }

    private func didEndMessage(_ slot: Int) {
        guard !streams[slot].isMessageDone else { return }
        streams[slot].isMessageDone = true
        report(.message(slot: slot))
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

    func didWriteHead(streamID: Int32) {
        guard let slot = slot(of: streamID) else { return }
        streams[slot].isWritten = true
    }

    func didClose(streamID: Int32, code: UInt32) {
        guard let slot = slot(of: streamID) else { return }
        report(.closed(slot: slot, code: code))
    }

    /// Copies the next piece of an outgoing body.
    func readBody(_ slot: Int, into buffer: UnsafeMutableBufferPointer<UInt8>) -> (byteCount: Int, isEnd: Bool) {
        guard slot < streams.count else { return (0, true) }
        let offset = streams[slot].outgoingOffset
        let byteCount = min(buffer.count, streams[slot].outgoing.count - offset)
        unsafe streams[slot].outgoing.withUnsafeBufferPointer { outgoing in
            let piece = unsafe UnsafeBufferPointer(rebasing: outgoing[offset..<offset + byteCount])
            unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: UnsafeRawBufferPointer(piece))
        }
        streams[slot].outgoingOffset = offset + byteCount
        unsentBodyByteCount -= byteCount
        return (byteCount, streams[slot].outgoingOffset == streams[slot].outgoing.count)
    }
}
