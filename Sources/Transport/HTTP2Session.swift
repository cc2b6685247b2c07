import CNGHTTP2

/// One end of an HTTP/2 connection. No socket, no clock inside: bytes in, events out; submissions in, bytes out.
///
/// Events are queued instead of delivered from nghttp2's callbacks, so that whoever handles one may submit, reset and
/// end whatever it likes. Streams have dense small numbers, slots, that their owner can index its own table with; a
/// slot is used again after its `.closed` event has been taken.
@safe package final class HTTP2Session {
    package enum Role: Sendable {
        case client, server
    }

    package enum Event: Equatable {
        /// A request (server) or response (client) is complete: `takeMessage`.
        case message(slot: Int)
        /// More than `bodyByteCountHardMax` came, and the stream is being reset.
        case bodyTooLarge(slot: Int)
        /// The last event of a slot; `code` as in RFC 9113 section 7, 0 for a stream that ended well.
        case closed(slot: Int, code: UInt32)
        /// The peer's settings came: `peerMaxConcurrentStreams` may have changed.
        case settings
        /// The peer will take no new streams: `peerGoAway`.
        case goAway
        /// The peer floods; the session has said GOAWAY with ENHANCE_YOUR_CALM.
        case flooded
    }

    package struct GoAway: Equatable {
        /// Streams with a higher number were not acted on.
        package let lastStreamID: Int32
        package let code: UInt32
        package let debugData: [UInt8]
    }

    /// A complete request or response.
    package struct Message {
        /// Without `:status`, with all else, in order.
        package var headers: HeaderBlock
        /// 0 for a request.
        package var status: Int
        /// Empty when there was more than `bodyByteCountMax`.
        package var body: [UInt8]
        /// What really came.
        package var bodyByteCount: Int
        /// The header block was larger than allowed, and what is here is its beginning.
        package var isHeaderTooLarge: Bool
    }

    private struct Stream {
        /// 0: the slot is free.
        var id: Int32 = 0
        var openedAt = MonotonicTime(nanoseconds: 0)
        var incoming = HTTP2Session.emptyMessage
        var headerByteCount = 0
        /// What comes now is trailers, which nothing here uses.
        var isHeadDone = false
        var isMessageDone = false
        /// Reset by us, or on its way to be.
        var isAbandoned = false
        /// nghttp2 has turned the head into bytes: the peer may come to know of it.
        var isWritten = false
        var outgoing: [UInt8] = []
        var outgoingOffset = 0
    }

    private static let emptyMessage = Message(
        headers: HeaderBlock(),
        status: 0,
        body: [],
        bodyByteCount: 0,
        isHeaderTooLarge: false
    )

    package let role: Role
    private let settings: HTTP2Settings
    private var handle: OpaquePointer?
    private var streams: [Stream] = []
    private var freeSlots: [Int] = []
    private var events: [Event] = []
    private var eventIndex = 0
    private var now: MonotonicTime
    private var resets: FloodGuard
    private var idleFrames: FloodGuard
    private var isFlooded = false
    private var fields = unsafe [nghttp2_nv]()

    package private(set) var peerGoAway: GoAway?
    /// Whether the peer's first SETTINGS, its half of the connection preface, has come.
    package private(set) var hasPeerSettings = false
    /// A header block has begun and not ended, since then; the connection can do nothing else meanwhile.
    package private(set) var headerBlockBegan: MonotonicTime?

    /// A session whose preface is ready to be sent.
    package init(role: Role, settings: HTTP2Settings, now: MonotonicTime) throws(HTTP2Error) {
        self.role = role
        self.settings = settings
        self.now = now
        resets = FloodGuard(settings.resets, now: now)
        idleFrames = FloodGuard(settings.idleFrames, now: now)
        try open()
        try announce()
    }

    deinit {
        unsafe nghttp2_session_del(handle)
    }

    private func open() throws(HTTP2Error) {
        var options: OpaquePointer?
        try Self.check("option_new", unsafe nghttp2_option_new(&options))
        defer { unsafe nghttp2_option_del(options) }
        unsafe nghttp2_option_set_no_closed_streams(options, 1)
        unsafe nghttp2_option_set_max_outbound_ack(options, settings.outboundAcknowledgementCountMax)
        unsafe nghttp2_option_set_max_settings(options, 32)
        // Our own count is finer: it forgives resets of streams that have been answered, which libcurl sends.
        unsafe nghttp2_option_set_stream_reset_rate_limit(options, 1 << 30, 1 << 30)
        // Streams beyond the peer's limit must wait in our queue, which has deadlines, and not in nghttp2's.
        unsafe nghttp2_option_set_peer_max_concurrent_streams(options, UInt32(Int32.max))
        let owner = unsafe Unmanaged.passUnretained(self).toOpaque()
        let callbacks = unsafe HTTP2Callbacks.shared
        switch role {
        case .client:
            try Self.check(
                "session_client_new2",
                unsafe nghttp2_session_client_new2(&handle, callbacks, owner, options)
            )
        case .server:
            try Self.check(
                "session_server_new2",
                unsafe nghttp2_session_server_new2(&handle, callbacks, owner, options)
            )
        }
    }

    private func announce() throws(HTTP2Error) {
        var entries = [
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, settings.maxConcurrentStreams),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, settings.initialWindowByteCount),
            (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, settings.headerTableByteCount),
            (NGHTTP2_SETTINGS_MAX_FRAME_SIZE, settings.frameByteCountMax),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, settings.headerListByteCountMax),
        ]
        // Only a client may say it, and ours wants no pushed responses.
        if role == .client { entries.append((NGHTTP2_SETTINGS_ENABLE_PUSH, 0)) }
        try submitSettings(entries)
        try Self.check(
            "session_set_local_window_size",
            unsafe nghttp2_session_set_local_window_size(
                handle,
                UInt8(NGHTTP2_FLAG_NONE.rawValue),
                0,
                settings.connectionWindowByteCount
            )
        )
    }

    private func submitSettings(_ entries: [(nghttp2_settings_id, UInt32)]) throws(HTTP2Error) {
        let entries = entries.map { id, value in
            nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: value)
        }
        let code = unsafe nghttp2_submit_settings(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
        try Self.check("submit_settings", code)
    }

    static func check(_ call: String, _ code: Int32) throws(HTTP2Error) {
        guard code == 0 else { throw .library(call: call, code: code) }
    }

    // MARK: Bytes

    /// Takes what arrived, whole. Afterwards: take the events, then the bytes to send.
    package func receive(_ bytes: Span<UInt8>, now: MonotonicTime) throws(HTTP2Error) {
        self.now = now
        let count = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe nghttp2_session_mem_recv(handle, bytes.baseAddress, bytes.count)
        }
        guard count >= 0 else { throw .library(call: "session_mem_recv", code: Int32(truncatingIfNeeded: count)) }
    }

    /// Appends what must go to the peer, until nothing waits or `queue` holds `byteCountMax` bytes or a frame more.
    package func send(into queue: inout ByteQueue, byteCountMax: Int) throws(HTTP2Error) {
        while queue.byteCount < byteCountMax {
            var bytes: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(handle, &bytes)
            guard count >= 0 else { throw .library(call: "session_mem_send", code: Int32(truncatingIfNeeded: count)) }
            guard count > 0, let bytes = unsafe bytes else { return }
            let frame = unsafe UnsafeBufferPointer(start: bytes, count: count)
            unsafe queue.append(frame.span)
        }
    }

    /// False: both directions are finished, by GOAWAY or by an error of the peer's. Close the connection.
    package var isAlive: Bool {
        unsafe nghttp2_session_want_read(handle) != 0 || nghttp2_session_want_write(handle) != 0
    }

    /// The next thing that happened, oldest first.
    package func nextEvent() -> Event? {
        guard eventIndex < events.count else {
            events.removeAll(keepingCapacity: true)
            eventIndex = 0
            return nil
        }
        let event = events[eventIndex]
        eventIndex += 1
        if case .closed(let slot, _) = event {
            streams[slot] = Stream()
            freeSlots.append(slot)
        }
        return event
    }

    // MARK: Streams

    /// How many slots there have been so far: every slot number is below it.
    package var slotCount: Int { streams.count }

    package var openStreamCount: Int { streams.count - freeSlots.count }

    /// What the peer allows us to have open at once; RFC 9113 sets no limit until it says so.
    package var peerMaxConcurrentStreams: Int {
        Int(unsafe nghttp2_session_get_remote_settings(handle, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }

    /// 0: the slot is free.
    package func streamID(_ slot: Int) -> Int32 {
        streams[slot].id
    }

    /// Server: when an open stream whose request has not come whole began; nil for every other slot.
    package func receivingSince(_ slot: Int) -> MonotonicTime? {
        let stream = streams[slot]
        return stream.id == 0 || stream.isMessageDone || stream.isAbandoned ? nil : stream.openedAt
    }

    /// Whether the request's head has become bytes, so that the peer may come to know of it.
    package func isWritten(_ slot: Int) -> Bool {
        streams[slot].isWritten
    }

    /// Whether the whole of what was submitted has become bytes.
    package func isOutgoingDone(_ slot: Int) -> Bool {
        streams[slot].isWritten && streams[slot].outgoingOffset == streams[slot].outgoing.count
    }

    /// Client: a new request. `headers` begins with the pseudo-headers. Returns its slot.
    package func submitRequest(_ headers: HeaderBlock, body: [UInt8]) throws(HTTP2Error) -> Int {
        precondition(role == .client)
        let slot = takeSlot()
        streams[slot].outgoing = body
        let result = unsafe withFields(headers, status: nil) { fields in
            var source = unsafe Self.source(slot)
            let tag = unsafe UnsafeMutableRawPointer(bitPattern: slot + 1)
            guard !body.isEmpty else {
                return unsafe nghttp2_submit_request(handle, nil, fields.baseAddress, fields.count, nil, tag)
            }
            return unsafe nghttp2_submit_request(handle, nil, fields.baseAddress, fields.count, &source, tag)
        }
        guard result > 0 else {
            streams[slot] = Stream()
            freeSlots.append(slot)
            throw result == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue
                ? .streamsExhausted : .library(call: "submit_request", code: result)
        }
        streams[slot].id = result
        return slot
    }

    /// Server: the answer to the request in `slot`, once.
    package func submitResponse(
        _ slot: Int,
        status: Int,
        headers: HeaderBlock,
        body: [UInt8]
    ) throws(HTTP2Error) {
        precondition(role == .server && streams[slot].id != 0 && (100...999).contains(status))
        streams[slot].outgoing = body
        streams[slot].outgoingOffset = 0
        let id = streams[slot].id
        let code = unsafe withFields(headers, status: status) { fields in
            var source = unsafe Self.source(slot)
            guard !body.isEmpty else {
                return unsafe nghttp2_submit_response(handle, id, fields.baseAddress, fields.count, nil)
            }
            return unsafe nghttp2_submit_response(handle, id, fields.baseAddress, fields.count, &source)
        }
        try Self.check("submit_response", code)
    }

    /// Moves the complete message out of its slot.
    package func takeMessage(_ slot: Int) -> Message {
        let message = streams[slot].incoming
        streams[slot].incoming = Self.emptyMessage
        return message
    }

    /// Breaks one stream off; its `.closed` follows when the frame has been written.
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

    // MARK: The connection

    /// Announces another limit. Streams above it that come before the peer knows are refused, not an error.
    package func setMaxConcurrentStreams(_ count: UInt32) throws(HTTP2Error) {
        try submitSettings([(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, count)])
    }

    /// No new streams from the peer; those that were begun may end. At most a few KB of debug data.
    package func submitGoAway(code: UInt32, debugData: [UInt8]) throws(HTTP2Error) {
        let last = unsafe nghttp2_session_get_last_proc_stream_id(handle)
        let result = unsafe nghttp2_submit_goaway(
            handle,
            UInt8(NGHTTP2_FLAG_NONE.rawValue),
            last,
            code,
            debugData,
            debugData.count
        )
        try Self.check("submit_goaway", result)
    }

    /// GOAWAY, and then nothing: `isAlive` is false once it has been written.
    package func terminate(code: UInt32) throws(HTTP2Error) {
        try Self.check("session_terminate_session", unsafe nghttp2_session_terminate_session(handle, code))
    }

    private func takeSlot() -> Int {
        if let slot = freeSlots.popLast() { return slot }
        streams.append(Stream())
        return streams.count - 1
    }

    private static func source(_ slot: Int) -> nghttp2_data_provider {
        unsafe nghttp2_data_provider(
            source: nghttp2_data_source(fd: Int32(slot)),
            read_callback: HTTP2Callbacks.readBody
        )
    }

    /// nghttp2 copies names and values before it returns, so they need to stay in place no longer.
    private func withFields<Result>(
        _ headers: HeaderBlock,
        status: Int?,
        _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        unsafe fields.removeAll(keepingCapacity: true)
        let statusField: [UInt8] = status.map { Array(":status".utf8) + Self.digits($0) } ?? []
        return unsafe statusField.withUnsafeBufferPointer { statusField in
            unsafe headers.bytes.withUnsafeBufferPointer { bytes in
                if !statusField.isEmpty {
                    unsafe append(statusField, start: 0, nameByteCount: 7, valueByteCount: 3, .indexed)
                }
                for entry in headers.entries {
                    unsafe append(
                        bytes,
                        start: Int(entry.start),
                        nameByteCount: Int(entry.nameByteCount),
                        valueByteCount: Int(entry.valueByteCount),
                        entry.indexing
                    )
                }
                return unsafe fields.withUnsafeBufferPointer { fields in unsafe body(fields) }
            }
        }
    }

    private func append(
        _ bytes: UnsafeBufferPointer<UInt8>,
        start: Int,
        nameByteCount: Int,
        valueByteCount: Int,
        _ indexing: HeaderBlock.Indexing
    ) {
        let name = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress).map { unsafe $0 + start }
        let flags = indexing == .indexed ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX
        unsafe fields.append(
            nghttp2_nv(
                name: name,
                value: name.map { unsafe $0 + nameByteCount },
                namelen: nameByteCount,
                valuelen: valueByteCount,
                flags: UInt8(flags.rawValue)
            )
        )
    }

    private static func digits(_ status: Int) -> [UInt8] {
        [UInt8(48 + status / 100), UInt8(48 + status / 10 % 10), UInt8(48 + status % 10)]
    }
}

// MARK: - What nghttp2 reports

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
            events.append(.bodyTooLarge(slot: slot))
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
        events.append(.message(slot: slot))
    }

    /// A frame that carries nothing.
    func didReceiveIdleFrame() {
        guard !idleFrames.admit(now: now) else { return }
        didFlood()
    }

    /// A stream that the peer broke off, or that we had to.
    func didReset(streamID: Int32, code: UInt32, byPeer: Bool) {
        guard role == .server, slot(of: streamID) != nil else { return }
        // A limit that was lowered a moment ago is not the peer's fault.
        guard byPeer || (code != NGHTTP2_REFUSED_STREAM.rawValue && code != NGHTTP2_NO_ERROR.rawValue) else { return }
        guard !resets.admit(now: now) else { return }
        didFlood()
    }

    private func didFlood() {
        guard !isFlooded else { return }
        isFlooded = true
        // The only failure is a lack of memory, which nghttp2 reports from the next call anyway.
        try? terminate(code: NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
        events.append(.flooded)
    }

    func didReceiveSettings() {
        hasPeerSettings = true
        events.append(.settings)
    }

    func didReceiveGoAway(_ goAway: GoAway) {
        // A second one may only lower the number (RFC 9113 section 6.8), and nghttp2 checks that.
        peerGoAway = goAway
        events.append(.goAway)
    }

    func didWriteHead(streamID: Int32) {
        guard let slot = slot(of: streamID) else { return }
        streams[slot].isWritten = true
    }

    func didClose(streamID: Int32, code: UInt32) {
        guard let slot = slot(of: streamID) else { return }
        events.append(.closed(slot: slot, code: code))
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
        return (byteCount, streams[slot].outgoingOffset == streams[slot].outgoing.count)
    }

    private func slot(of streamID: Int32) -> Int? {
        let data = unsafe nghttp2_session_get_stream_user_data(handle, streamID)
        let number = Int(bitPattern: data)
        return number == 0 ? nil : number - 1
    }
}
