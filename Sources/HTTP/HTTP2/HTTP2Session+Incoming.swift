import CNGHTTP2
import Networking

extension HTTP2Session {
    /// Server: a stream opens. Client: a response begins, or continues after a 1xx.
    ///
    /// - Returns: nghttp2's code: 0, or an error that drops the block.
    func didBeginHeaders(streamID: Int32, opensStream: Bool) -> Int32 {
        guard role == .server, opensStream else { return 0 }
        switch streamLimit.open() {
        case .open: break
        case .refuse: return refuse(streamID)
        case .violation:
            if let debugData = settings.excessStreamGoAway {
                end(code: NGHTTP2_PROTOCOL_ERROR.rawValue, debugData: debugData)
            } else if !ledger.admitReset(now: now) {
                didFlood()
            }
            return refuse(streamID)
        }
        tally.openedStreamCount += 1
        let slot = takeSlot()
        streams[slot].open(streamID, at: now)
        return unsafe nghttp2_session_set_stream_user_data(
            handle,
            streamID,
            UnsafeMutableRawPointer(bitPattern: slot + 1)
        )
    }

    /// Resets a stream that gets no slot.
    private func refuse(_ streamID: Int32) -> Int32 {
        tally.refusedStreamCount += 1
        let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        let code = NGHTTP2_REFUSED_STREAM.rawValue
        let result = unsafe nghttp2_submit_rst_stream(handle, flags, streamID, code)
        guard result == 0 else { return result }
        // nghttp2 sends a stream's first RST_STREAM only.
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }

    /// - Returns: as `didBeginHeaders`.
    func didReceiveHeader(
        streamID: Int32,
        _ name: UnsafeBufferPointer<UInt8>,
        _ value: UnsafeBufferPointer<UInt8>
    ) -> Int32 {
        guard let slot = slot(of: streamID) else { return 0 }
        let byteCount = unsafe streams[slot].didReceiveHeader(name, value, role, settings)
        // A short block may decode to megabytes (RFC 7541 section 7.3), too much for a 431.
        let byteCountHardMax = 8 * Int(settings.headerListByteCountMax)
        guard role == .server, byteCount > byteCountHardMax else { return 0 }
        // Fails only without memory, which nghttp2's next call reports.
        try? reset(slot, code: NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }

    func didReceiveHeaders(streamID: Int32, endsStream: Bool) {
        guard let slot = slot(of: streamID) else { return }
        let (isHead, isWhole) = streams[slot].didReceiveHeaders(role, endsStream: endsStream)
        if bodyBudget != nil, isHead { report(.head(slot: slot)) }
        if isWhole { report(.message(slot: slot)) }
    }

    func didReceiveUpperCaseName() {
        guard role == .server, let debugData = settings.upperCaseGoAway else { return }
        end(code: NGHTTP2_PROTOCOL_ERROR.rawValue, debugData: debugData)
    }

    func didReceiveBody(streamID: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard let slot = slot(of: streamID), !streams[slot].isAbandoned else { return }
        if let bodyBudget { return unsafe keepBody(slot, bytes, bodyBudget) }
        streams[slot].incoming.bodyByteCount += bytes.count
        let byteCount = streams[slot].incoming.bodyByteCount
        if byteCount <= settings.bodyByteCountMax {
            unsafe streams[slot].incoming.body.append(contentsOf: bytes)
        } else if byteCount <= settings.bodyByteCountHardMax {
            streams[slot].incoming.body = []
        } else {
            // Fails only without memory, as above.
            try? reset(slot, code: NGHTTP2_CANCEL.rawValue)
            report(.bodyTooLarge(slot: slot))
        }
    }

    func didReceiveData(streamID: Int32, isPaddingOnly: Bool, endsStream: Bool) {
        if isPaddingOnly, !endsStream { didReceiveIdleFrame() }
        guard endsStream, let slot = slot(of: streamID) else { return }
        if streams[slot].didEndBody() { report(.message(slot: slot)) }
    }

    /// - Parameter tableByteCounts: SETTINGS_HEADER_TABLE_SIZE, the least first.
    func didReceiveSettings(tableByteCounts: [Int]) {
        hasPeerSettings = true
        for byteCount in tableByteCounts { headerEncoder.setTableByteCount(byteCount) }
        report(.settings)
    }

    func didReceiveSettingsAcknowledgement() {
        streamLimit.didReceiveAcknowledgement()
    }

    func didReceiveGoAway(_ goAway: GoAway) {
        // A second one may only lower the number (RFC 9113 section 6.8); nghttp2 checks.
        peerGoAway = goAway
        report(.goAway)
    }

    /// nghttp2 sends it for the peer's faults; a server also for its own reasons.
    func didSendGoAway(code: UInt32) {
        guard role == .client, code != NGHTTP2_NO_ERROR.rawValue else { return }
        violation = .violation(code: code)
    }

    func didClose(streamID: Int32, code: UInt32) {
        scanner.peerStreams.close(UInt32(streamID), windowByteCount: settings.initialWindowByteCount)
        guard let slot = slot(of: streamID) else { return }
        lastStreamID = -1
        if role == .server { streamLimit.close() }
        if code == NGHTTP2_NO_ERROR.rawValue, isOutgoingDone(slot) { ledger.didAnswer() }
        report(.closed(slot: slot, code: code))
    }

    /// Copies the next piece of a body; nil if the rest is unreadable.
    func readBody(_ slot: Int, into buffer: UnsafeMutableBufferPointer<UInt8>) -> (byteCount: Int, isEnd: Bool)? {
        guard slot < streams.count else { return (0, true) }
        guard streams[slot].file == nil else { return unsafe streams[slot].readFile(into: buffer) }
        let byteCountMax = bodies.byteCountToMark(window: sendWindowByteCount)
        let piece = unsafe UnsafeMutableBufferPointer(rebasing: buffer[..<min(buffer.count, byteCountMax)])
        let (byteCount, isEnd) = unsafe streams[slot].readBody(into: piece)
        bodies.didSend(byteCount, of: slot, isEnd: isEnd)
        return (byteCount, isEnd)
    }
}
