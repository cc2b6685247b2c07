import CNGHTTP2

/// One end of an HTTP/2 connection. No socket, no clock inside: bytes in, events out; submissions in, bytes out.
///
/// Events are queued instead of delivered from nghttp2's callbacks, so that whoever handles one may submit, reset and
/// end whatever it likes. Streams have dense small numbers, slots, that their owner can index its own table with; a
/// slot is used again after its `.closed` event has been taken.
@safe package final class HTTP2Session {
    package let role: Role
    let settings: HTTP2Settings
    /// Server: where bodies find their memory; nil keeps each by the settings, and reports requests when they are whole.
    let bodyBudget: HTTPBodyBudget?
    private(set) var handle: OpaquePointer?
    /// By slot.
    var streams: [HTTP2Stream] = []
    private var freeSlots: [Int] = []
    /// The stream that was asked for last and is still known: frames of one come together. Negative: none.
    var lastStreamID: Int32 = -1
    private var lastSlot = 0
    private var events: [Event] = []
    private var eventIndex = 0
    private(set) var now: MonotonicTime
    var ledger: HTTP2FloodLedger
    var streamLimit: HTTP2StreamLimit
    var scanner: HTTP2FrameScanner
    /// The connection ends as soon as its GOAWAY is out: what comes is not looked at any more.
    package internal(set) var isEnding = false
    /// nghttp2 reads, and must not be told to end: it would read on, and assert that it does not (CVE-2026-27135).
    private(set) var isReading = false
    package internal(set) var tally = Tally()
    var fields = HTTP2FieldList()
    var bodies = OutgoingBodies()

    /// Of requests or responses whose body has not all become bytes.
    package var unsentBodyByteCount: Int { bodies.unsentByteCount }
    package internal(set) var peerGoAway: GoAway?
    /// Client: what the peer did, once a GOAWAY has told it so.
    package internal(set) var violation: HTTP2Error?
    /// Whether the peer's first SETTINGS, its half of the connection preface, has come.
    package internal(set) var hasPeerSettings = false
    /// Server: a header block has begun, then, and not ended; the connection can do nothing else meanwhile.
    package var headerBlockBegan: MonotonicTime? { scanner.blockBegan }

    /// A session whose preface is ready to be sent.
    package convenience init(role: Role, settings: HTTP2Settings, now: MonotonicTime) throws(HTTP2Error) {
        try self.init(role: role, settings: settings, bodyBudget: nil, now: now)
    }

    /// As above; a server with a budget for bodies reports `.head` for every request.
    init(
        role: Role,
        settings: HTTP2Settings,
        bodyBudget: HTTPBodyBudget?,
        now: MonotonicTime
    ) throws(HTTP2Error) {
        self.role = role
        self.settings = settings
        self.bodyBudget = bodyBudget
        self.now = now
        precondition(settings.maxConcurrentStreams <= Int32.max)
        ledger = HTTP2FloodLedger(settings, now: now)
        streamLimit = HTTP2StreamLimit(announced: settings.maxConcurrentStreams)
        scanner = HTTP2FrameScanner(role)
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
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limitForLibrary(settings.maxConcurrentStreams)),
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

    /// A client opens no stream for its peer: nghttp2 may count what should not come.
    private func limitForLibrary(_ limit: UInt32) -> UInt32 {
        role == .server ? HTTP2StreamLimit.marked(limit) : limit
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
        let findings = scanner.scan(bytes, settings: settings, now: now)
        // A client's answers may be among what has come: it takes them first.
        if role == .server { judge(findings) }
        guard !isEnding else { return }
        isReading = true
        let count = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe nghttp2_session_mem_recv(handle, bytes.baseAddress, bytes.count)
        }
        isReading = false
        if tally.isFlooded { calm() }
        // What the peer did first has ended the connection, and the GOAWAY that says why has still to leave.
        guard count >= 0 || isEnding else {
            throw .library(call: "session_mem_recv", code: Int32(truncatingIfNeeded: count))
        }
        if role == .client { judge(findings) }
    }

    /// Appends what must go to the peer, until nothing waits or `queue` holds `byteCountMax` bytes or a frame more.
    package func send(into queue: inout ByteQueue, byteCountMax: Int) throws(HTTP2Error) {
        while queue.byteCount < byteCountMax {
            var bytes: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(handle, &bytes)
            guard count >= 0 else { throw .library(call: "session_mem_send", code: Int32(truncatingIfNeeded: count)) }
            guard count > 0, let bytes = unsafe bytes else { return }
            let frame = unsafe UnsafeBufferPointer(start: bytes, count: count)
            if role == .server, let changed = unsafe HTTP2StreamLimit.unmarked(frame) {
                queue.append(changed.span)
            } else {
                unsafe queue.append(frame.span)
            }
        }
    }

    /// The connection's flow-control window (RFC 9113 section 5.2): what the peer lets all streams together send.
    var sendWindowByteCount: Int { Int(unsafe nghttp2_session_get_remote_window_size(handle)) }

    /// How much more of bodies can be submitted so that none of them is cut.
    package var bodyRoomByteCount: Int {
        let window = sendWindowByteCount
        let bodies = bodies
        return min(window, bodies.byteCountToMark(window: window)) - bodies.unsentByteCount
    }

    /// Whether one body is out in part, and not to its end.
    package var isBodyCut: Bool { bodies.isCut }

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
        if case .closed(let slot, _) = event { freeSlot(slot) }
        return event
    }

    /// For `nextEvent`, in its turn.
    func report(_ event: Event) {
        events.append(event)
    }

    // MARK: Slots

    /// How many slots there have been so far: every slot number is below it.
    package var slotCount: Int { streams.count }

    package var openStreamCount: Int { streams.count - freeSlots.count }

    func takeSlot() -> Int {
        if let slot = freeSlots.popLast() { return slot }
        streams.append(HTTP2Stream())
        return streams.count - 1
    }

    func freeSlot(_ slot: Int) {
        // A client's responses are short and many, and a server's slots as many as its peers like.
        let unsentByteCount = streams[slot].free(keepsHeaderMemory: role == .client, bodyBudget)
        bodies.didFree(slot, unsentByteCount: unsentByteCount)
        freeSlots.append(slot)
    }

    /// Nil for a stream that the session does not know, or knows no more.
    func slot(of streamID: Int32) -> Int? {
        if streamID == lastStreamID { return lastSlot }
        let data = unsafe nghttp2_session_get_stream_user_data(handle, streamID)
        let number = Int(bitPattern: data)
        guard number != 0 else { return nil }
        (lastStreamID, lastSlot) = (streamID, number - 1)
        return lastSlot
    }

    // MARK: The connection

    /// Server: announces another limit, below 2^31. Streams above it that come before the peer knows are refused, not an
    /// error.
    package func setMaxConcurrentStreams(_ count: UInt32) throws(HTTP2Error) {
        precondition(role == .server && count <= Int32.max)
        try submitSettings([(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limitForLibrary(count))])
        streamLimit.announce(count)
    }

    /// Server: refuses the latest of the streams whose requests have not come whole, until no more than `count` are open.
    /// Nothing of theirs was acted on, so that the peer may send them again (RFC 9113 section 8.7).
    package func refuseStreams(above count: UInt32) throws(HTTP2Error) {
        let unfinished = streams.indices.filter { receivingSince($0) != nil }.sorted { streams[$0].id > streams[$1].id }
        for slot in unfinished.prefix(max(0, streamLimit.openCount - Int(count))) {
            tally.refusedStreamCount += 1
            try reset(slot, code: NGHTTP2_REFUSED_STREAM.rawValue)
        }
    }

    /// No new streams from the peer; those that were begun may end. At most a few KB of debug data.
    ///
    /// - Parameters:
    ///   - code: RFC 9113 section 7.
    ///   - debugData: for people.
    ///   - lastStreamID: nil: the last one that came. Streams above it are reset with REFUSED_STREAM.
    /// - Throws: `.library`.
    package func submitGoAway(code: UInt32, debugData: [UInt8], lastStreamID: Int32? = nil) throws(HTTP2Error) {
        let last = unsafe lastStreamID ?? nghttp2_session_get_last_proc_stream_id(handle)
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

    /// Asks for a sign of life: `.pong` will follow.
    package func submitPing() throws(HTTP2Error) {
        try Self.check("submit_ping", unsafe nghttp2_submit_ping(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil))
    }

    /// GOAWAY with words of one's own, and then nothing: what the peer still says is not read.
    func end(code: UInt32, debugData: [UInt8]) {
        guard !isEnding else { return }
        isEnding = true
        // The only failure is a lack of memory; the connection ends without a word then.
        try? submitGoAway(code: code, debugData: debugData)
        report(.ended)
    }

    /// GOAWAY, and then nothing: `isAlive` is false once it has been written.
    package func terminate(code: UInt32) throws(HTTP2Error) {
        try Self.check("session_terminate_session", unsafe nghttp2_session_terminate_session(handle, code))
    }
}
