import CNGHTTP2

/// What a peer does too much of.
extension HTTP2Session {
    private enum FrameType {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let pushPromise: UInt8 = 5
        static let continuation: UInt8 = 9
    }

    /// A frame's head has come, and nothing of its payload yet.
    ///
    /// - Parameters:
    ///   - type: RFC 9113 section 6.
    ///   - flags: as they came.
    ///   - streamID: 0 for the connection.
    ///   - byteCount: of the payload.
    /// - Returns: what nghttp2 wants: 0, or that it shall read no further.
    func didBeginFrame(type: UInt8, flags: UInt8, streamID: Int32, byteCount: Int) -> Int32 {
        let endsHeaders = UInt32(flags) & NGHTTP2_FLAG_END_HEADERS.rawValue != 0
        switch type {
        case FrameType.headers, FrameType.pushPromise:
            headerProgress.begin(byteCount: byteCount, isLastFrame: endsHeaders, now: now)
            checkHeaderBlock()
        case FrameType.continuation:
            headerProgress.goOn(byteCount: byteCount, isLastFrame: endsHeaders)
            checkHeaderBlock()
        case FrameType.data where byteCount == 0 && UInt32(flags) & NGHTTP2_FLAG_END_STREAM.rawValue == 0:
            // For a stream that is over; nghttp2 throws it away and tells nobody.
            if slot(of: streamID) == nil { didReceiveIdleFrame() }
        case (FrameType.continuation + 1)... where role == .server: didReceiveIdleFrame()
        default: break
        }
        return isEnding ? NGHTTP2_ERR_CALLBACK_FAILURE.rawValue : 0
    }

    private func checkHeaderBlock() {
        guard role == .server else { return }
        guard
            headerProgress.byteCount > settings.headerBlockByteCountMax
                || headerProgress.continuationCount > settings.continuationCountMax
        else { return }
        didFlood()
    }

    /// A frame that carries nothing.
    func didReceiveIdleFrame() {
        guard !ledger.admitIdleFrame(now: now) else { return }
        didFlood()
    }

    func didReceiveWindowUpdate() {
        guard role == .server, !ledger.admitWindowUpdate(now: now) else { return }
        didFlood()
    }

    func didSendData() {
        ledger.didSendData()
    }

    /// A stream that the peer broke off, or that we had to.
    func didReset(streamID: Int32, code: UInt32, byPeer: Bool) {
        guard let slot = slot(of: streamID) else {
            if role == .server, byPeer, !ledger.admitLateReset(now: now) { didFlood() }
            return
        }
        guard role == .server else {
            // Nobody here asked for it: nghttp2 did, for what came.
            let isMalformed = !byPeer && !streams[slot].isAbandoned && code == NGHTTP2_PROTOCOL_ERROR.rawValue
            if isMalformed { report(.malformed(slot: slot)) }
            return
        }
        // A limit that was lowered a moment ago is not the peer's fault.
        guard byPeer || (code != NGHTTP2_REFUSED_STREAM.rawValue && code != NGHTTP2_NO_ERROR.rawValue) else { return }
        // It has its answer, and gives up the rest of its own request.
        if byPeer, isOutgoingDone(slot) { return }
        tally.brokenStreamCount += 1
        if !ledger.admitReset(now: now) { didFlood() }
    }

    func didFlood() {
        guard !isEnding, !tally.isFlooded else { return }
        tally.isFlooded = true
        report(.flooded)
        // A client's answers may still be among what has come.
        isEnding = role == .server
        // The only failure is a lack of memory; the connection ends without a word then.
        try? terminate(code: NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
    }
}
