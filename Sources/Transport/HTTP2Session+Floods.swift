import CNGHTTP2

/// What a peer does too much of.
extension HTTP2Session {
    /// What the scanner has found in the piece at hand.
    func judge(_ findings: HTTP2FrameScanner.Findings) {
        if findings.isAfterEnd { didUseClosedStream() }
        for _ in 0..<findings.idleFrameCount { didReceiveIdleFrame() }
        for _ in 0..<findings.windowUpdateCount { didReceiveWindowUpdate() }
        if role == .server, findings.isBlockTooLarge { didFlood() }
    }

    /// RFC 9113 section 5.1 lets the connection end for it. The peer knows that it has closed the stream.
    private func didUseClosedStream() {
        guard role == .client else { return end(code: NGHTTP2_STREAM_CLOSED.rawValue, debugData: []) }
        report(.ended)
        // The only failure is a lack of memory; the connection ends without a word then.
        try? terminate(code: NGHTTP2_STREAM_CLOSED.rawValue)
    }

    /// A frame that carries nothing.
    func didReceiveIdleFrame() {
        guard !ledger.admitIdleFrame(now: now) else { return }
        didFlood()
    }

    func didReceiveWindowUpdate() {
        if !ledger.admitWindowUpdate(now: now) { didFlood() }
    }

    func didSendData() {
        ledger.didSendData()
    }

    /// A stream that the peer broke off, or that we had to.
    func didReset(streamID: Int32, code: UInt32, byPeer: Bool) {
        guard let slot = slot(of: streamID) else {
            if byPeer, !ledger.admitLateReset(now: now) { didFlood() }
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
        if !isReading { calm() }
    }

    /// Ends the connection for a flood. Again: changes nothing.
    func calm() {
        // The only failure is a lack of memory; the connection ends without a word then.
        try? terminate(code: NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
    }
}
