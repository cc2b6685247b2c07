import CNGHTTP2

/// Each callback finds its session by the user pointer, and reports one event.
enum HTTP2Callbacks {
    /// Made once per process, then only read. Nil: no memory, which opening a session reports.
    nonisolated(unsafe) static let shared: OpaquePointer? = {
        var callbacks: OpaquePointer?
        guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks = unsafe callbacks else {
            return nil
        }
        unsafe setIncoming(callbacks)
        unsafe setOutgoing(callbacks)
        return unsafe callbacks
    }()

    static let readBody: nghttp2_data_source_read_callback = { _, _, buffer, length, flags, source, owner in
        guard let source = unsafe source, let flags = unsafe flags else {
            return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
        }
        let slot = unsafe Int(source.pointee.fd)
        let piece =
            unsafe session(owner) { session in
                unsafe session.readBody(slot, into: UnsafeMutableBufferPointer(start: buffer, count: length))
            } ?? (0, true)
        // Resets this stream alone.
        guard let (byteCount, isEnd) = piece else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
        if isEnd { unsafe flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return byteCount
    }

    private static func setIncoming(_ callbacks: OpaquePointer) {
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, owner in
            guard let frame = unsafe frame else { return 0 }
            let opensStream = unsafe frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
            let streamID = unsafe frame.pointee.hd.stream_id
            return unsafe session(owner) { session in
                session.didBeginHeaders(streamID: streamID, opensStream: opensStream)
            } ?? 0
        }
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _,
            frame,
            name,
            nameByteCount,
            value,
            valueByteCount,
            _,
            owner in
            guard let frame = unsafe frame else { return 0 }
            return unsafe session(owner) { session in
                unsafe session.didReceiveHeader(
                    streamID: frame.pointee.hd.stream_id,
                    UnsafeBufferPointer(start: name, count: nameByteCount),
                    UnsafeBufferPointer(start: value, count: valueByteCount)
                )
            } ?? 0
        }
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _,
            _,
            streamID,
            bytes,
            byteCount,
            owner in
            unsafe session(owner) { session in
                unsafe session.didReceiveBody(
                    streamID: streamID,
                    UnsafeBufferPointer(start: bytes, count: byteCount)
                )
            }
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, owner in
            guard let frame = unsafe frame else { return 0 }
            unsafe session(owner) { session in unsafe didReceive(frame, session) }
            return 0
        }
        unsafe nghttp2_session_callbacks_set_error_callback2(callbacks) { _, code, text, byteCount, owner in
            guard code == NGHTTP2_ERR_HTTP_HEADER.rawValue else { return 0 }
            let text = unsafe UnsafeRawBufferPointer(start: text, count: byteCount)
            guard unsafe namesUpperCase(text) else { return 0 }
            unsafe session(owner) { session in session.didReceiveUpperCaseName() }
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, streamID, code, owner in
            unsafe session(owner) { session in session.didClose(streamID: streamID, code: code) }
            return 0
        }
    }

    private static func setOutgoing(_ callbacks: OpaquePointer) {
        unsafe nghttp2_session_callbacks_set_before_frame_send_callback(callbacks) { _, frame, owner in
            guard let frame = unsafe frame, unsafe UInt32(frame.pointee.hd.type) == NGHTTP2_HEADERS.rawValue else {
                return 0
            }
            let streamID = unsafe frame.pointee.hd.stream_id
            unsafe session(owner) { session in session.willWriteHead(streamID: streamID) }
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, owner in
            guard let frame = unsafe frame else { return 0 }
            switch unsafe UInt32(frame.pointee.hd.type) {
            case NGHTTP2_RST_STREAM.rawValue:
                let streamID = unsafe frame.pointee.hd.stream_id
                let code = unsafe frame.pointee.rst_stream.error_code
                unsafe session(owner) { session in session.didReset(streamID: streamID, code: code, byPeer: false) }
            case NGHTTP2_DATA.rawValue: unsafe session(owner) { session in session.didSendData() }
            case NGHTTP2_GOAWAY.rawValue:
                let code = unsafe frame.pointee.goaway.error_code
                unsafe session(owner) { session in session.didSendGoAway(code: code) }
            default: break
            }
            return 0
        }
    }
}

/// The session is alive: it owns the calling nghttp2 session.
@discardableResult
private func session<Result>(
    _ owner: UnsafeMutableRawPointer?,
    _ body: (HTTP2Session) -> Result
) -> Result? {
    guard let owner = unsafe owner else { return nil }
    return unsafe Unmanaged<HTTP2Session>.fromOpaque(owner)._withUnsafeGuaranteedRef(body)
}

private func didReceive(_ frame: UnsafePointer<nghttp2_frame>, _ session: HTTP2Session) {
    let header = unsafe frame.pointee.hd
    let endsStream = UInt32(header.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0
    let isAcknowledgement = UInt32(header.flags) & NGHTTP2_FLAG_ACK.rawValue != 0
    switch UInt32(header.type) {
    case NGHTTP2_DATA.rawValue:
        let isPaddingOnly = unsafe header.length > 0 && header.length == frame.pointee.data.padlen
        session.didReceiveData(streamID: header.stream_id, isPaddingOnly: isPaddingOnly, endsStream: endsStream)
    case NGHTTP2_HEADERS.rawValue:
        session.didReceiveHeaders(streamID: header.stream_id, endsStream: endsStream)
    case NGHTTP2_RST_STREAM.rawValue:
        let code = unsafe frame.pointee.rst_stream.error_code
        session.didReset(streamID: header.stream_id, code: code, byPeer: true)
    case NGHTTP2_SETTINGS.rawValue where !isAcknowledgement:
        session.didReceiveIdleFrame()
        unsafe session.didReceiveSettings(tableByteCounts: tableByteCounts(frame.pointee.settings))
    case NGHTTP2_SETTINGS.rawValue: session.didReceiveSettingsAcknowledgement()
    case NGHTTP2_PING.rawValue where !isAcknowledgement, NGHTTP2_PRIORITY.rawValue:
        session.didReceiveIdleFrame()
    case NGHTTP2_PING.rawValue:
        // A server sends no PING.
        if session.role == .server { session.didReceiveIdleFrame() }
        session.report(.pong)
    case NGHTTP2_GOAWAY.rawValue:
        let goAway = unsafe frame.pointee.goaway
        let debugData = unsafe UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
        session.didReceiveGoAway(
            HTTP2Session.GoAway(
                lastStreamID: unsafe goAway.last_stream_id,
                code: unsafe goAway.error_code,
                debugData: unsafe Array(debugData)
            )
        )
    default: break
    }
}

/// nghttp2 puts the least first if a frame has several.
private func tableByteCounts(_ settings: nghttp2_settings) -> [Int] {
    let entries = unsafe UnsafeBufferPointer(start: settings.iv, count: settings.niv)
    return unsafe entries.filter { $0.settings_id == Int32(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue) }.map {
        Int($0.value)
    }
}

/// Finds an upper-case field name in nghttp2's message, its only source: "Invalid HTTP header field was received: frame
/// type: 1, stream: 1, name: [X-Upper], value: [...]".
private func namesUpperCase(_ text: UnsafeRawBufferPointer) -> Bool {
    let mark = Array("name: [".utf8)
    var start = 0
    while start + mark.count <= text.count {
        if unsafe text[start..<start + mark.count].elementsEqual(mark) {
            let name = unsafe text[(start + mark.count)...].prefix { $0 != UInt8(ascii: "]") }
            return unsafe name.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        }
        start += 1
    }
    return false
}
