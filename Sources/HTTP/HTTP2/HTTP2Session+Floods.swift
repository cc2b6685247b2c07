import CNGHTTP2
import Networking

extension HTTP2Session {
    func judge(_ findings: HTTP2FrameScanner.Findings) {
        if findings.isAfterEnd { didUseClosedStream() }
        for _ in 0..<findings.idleFrameCount { didReceiveIdleFrame() }
        for _ in 0..<findings.windowUpdateCount { didReceiveWindowUpdate() }
        if role == .server, findings.isBlockTooLarge { didFlood() }
    }

    /// RFC 9113 section 5.1 permits it: the peer knows that it closed the stream.
    private func didUseClosedStream() {
        guard role == .client else { return end(code: NGHTTP2_STREAM_CLOSED.rawValue, debugData: []) }
        report(.ended)
        // Fails only without memory.
        try? terminate(code: NGHTTP2_STREAM_CLOSED.rawValue)
    }

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

    func didReset(streamID: Int32, code: UInt32, byPeer: Bool) {
        guard let slot = slot(of: streamID) else {
            if byPeer, !ledger.admitLateReset(now: now) { didFlood() }
            return
        }
        guard role == .server else {
            // A reset by nghttp2, for the peer's message.
            let isMalformed = !byPeer && !streams[slot].isAbandoned && code == NGHTTP2_PROTOCOL_ERROR.rawValue
            if isMalformed { report(.malformed(slot: slot)) }
            return
        }
        // A limit lowered just now is not the peer's fault.
        guard byPeer || (code != NGHTTP2_REFUSED_STREAM.rawValue && code != NGHTTP2_NO_ERROR.rawValue) else { return }
        // The peer has its response, and gives up the request's rest.
        if byPeer, isOutgoingDone(slot) { return }
        tally.brokenStreamCount += 1
        if !ledger.admitReset(now: now) { didFlood() }
    }

    func didFlood() {
        guard !isEnding, !tally.isFlooded else { return }
        tally.isFlooded = true
        report(.flooded)
        // A client may still find answers among the bytes.
        isEnding = role == .server
        if !isReading { calm() }
    }

    /// Ends the connection for a flood. Repeatable.
    func calm() {
        // Fails only without memory.
        try? terminate(code: NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
    }
}
