import CNGHTTP2
package import Networking

extension HTTP2Session {
    /// Peer's limit of open streams; unlimited before its SETTINGS (RFC 9113).
    package var peerMaxConcurrentStreams: Int {
        Int(unsafe nghttp2_session_get_remote_settings(handle, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }

    package func streamID(_ slot: Int) -> Int32 {
        streams[slot].id
    }

    /// Server: start of an open stream with an unfinished request; otherwise nil.
    package func receivingSince(_ slot: Int) -> MonotonicTime? {
        let stream = streams[slot]
        return stream.id == 0 || stream.isMessageDone || stream.isAbandoned ? nil : stream.openedAt
    }

    func isMessageWhole(_ slot: Int) -> Bool { streams[slot].isMessageDone }

    /// True once the head is framed: the peer may see it.
    package func isWritten(_ slot: Int) -> Bool {
        streams[slot].isWritten
    }

    package func isOutgoingDone(_ slot: Int) -> Bool {
        streams[slot].isOutgoingDone
    }

    /// Client: submits a request, pseudo-headers first. Returns its slot.
    package func submitRequest(_ headers: HeaderBlock, body: [UInt8]) throws(HTTP2Error) -> Int {
        precondition(role == .client)
        let slot = takeSlot()
        let id = unsafe nghttp2_session_get_next_stream_id(handle)
        streams[slot].submit(Int32(bitPattern: id), headers, body)
        bodies.didSubmit(body.count)
        // nghttp2 must know the method; `writeHead` writes all fields.
        let result = unsafe headers.lend(0) { method in
            var source = unsafe Self.source(slot)
            let tag = unsafe UnsafeMutableRawPointer(bitPattern: slot + 1)
            guard !body.isEmpty else { return unsafe nghttp2_submit_request(handle, nil, &method, 1, nil, tag) }
            return unsafe nghttp2_submit_request(handle, nil, &method, 1, &source, tag)
        }
        guard result > 0 else {
            freeSlot(slot)
            throw result == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue
                ? .streamsExhausted : .library(call: "submit_request", code: result)
        }
        precondition(UInt32(result) == id)
        scanner.peerStreams.open(UInt32(result))
        return slot
    }

    /// Server: submits the only response. Nil: no `content-length`, or `headers` have it.
    package func submitResponse(
        _ slot: Int,
        status: Int,
        headers: HeaderBlock,
        contentLength: Int? = nil,
        body: HTTPAnswer.Body
    ) throws(HTTP2Error) {
        let head = HTTP2Head(fields: headers, status: status, contentLength: contentLength)
        let (id, dropped) = streams[slot].submit(head, body)
        precondition(role == .server && id != 0 && (100...999).contains(status))
        bodies.didSubmit(streams[slot].unsentByteCount, insteadOf: dropped)
        // No field: `writeHead` writes them.
        guard body.byteCount > 0 else {
            return try Self.check("submit_response", unsafe nghttp2_submit_response(handle, id, nil, 0, nil))
        }
        var source = unsafe Self.source(slot)
        try Self.check("submit_response", unsafe nghttp2_submit_response(handle, id, nil, 0, &source))
    }

    /// Server: true if a whole piece of the file was framed since the last true.
    func hasNewFilePiece(_ slot: Int) -> Bool { streams[slot].file?.hasNewPiece() ?? false }

    /// Takes the complete message. A client's is copied, so that the slot keeps its memory.
    package func takeMessage(_ slot: Int) -> Message {
        role == .server ? streams[slot].takeMessage() : streams[slot].incoming
    }

    package func reset(_ slot: Int, code: UInt32) throws(HTTP2Error) {
        guard streams[slot].id != 0, !streams[slot].isAbandoned else { return }
        streams[slot].isAbandoned = true
        let result = unsafe nghttp2_submit_rst_stream(
            handle,
            UInt8(NGHTTP2_FLAG_NONE.rawValue),
            streams[slot].id,
            code
        )
        try Self.check("submit_rst_stream", result)
    }

    private static func source(_ slot: Int) -> nghttp2_data_provider {
        unsafe nghttp2_data_provider(
            source: nghttp2_data_source(fd: Int32(slot)),
            read_callback: HTTP2Callbacks.readBody
        )
    }
}
