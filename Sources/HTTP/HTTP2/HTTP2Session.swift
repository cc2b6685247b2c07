import CNGHTTP2
package import Networking

/// One end of an HTTP/2 connection, without socket or clock: bytes in, events out; submissions in, bytes out.
///
/// Events are queued, so that their handler may submit, reset and end. Streams have small dense numbers, *slots*,
/// reused after their `.closed` event is taken.
@safe package final class HTTP2Session {
    package let role: Role
    let settings: HTTP2Settings
    /// Server: nil bounds each body by `settings`, and reports requests whole.
    let bodyBudget: HTTPBodyBudget?
    private(set) var handle: OpaquePointer?
    var streams: [HTTP2Stream] = []
    private var freeSlots: [Int] = []
    private var takenSlotCount = 0
    /// Last lookup: a stream's frames come together. Negative: none.
    var lastStreamID: Int32 = -1
    private var lastSlot = 0
    private var events: [Event] = []
    private var eventIndex = 0
    private(set) var now: MonotonicTime
    var ledger: HTTP2FloodLedger
    var streamLimit: HTTP2StreamLimit
    var scanner: HTTP2FrameScanner
    /// True once the closing GOAWAY is queued; later input is ignored.
    package internal(set) var isEnding = false
    /// True during a read, when termination would fail an assertion of nghttp2 (CVE-2026-27135).
    private(set) var isReading = false
    package internal(set) var tally = Tally()
    var headerEncoder: HTTP2HeaderEncoder
    /// Head of the HEADERS frame that nghttp2 is about to send.
    var writtenHead: HTTP2Head?
    var bodies = OutgoingBodies()

    package var unsentBodyByteCount: Int { bodies.unsentByteCount }
    package internal(set) var peerGoAway: GoAway?
    /// Client: the peer's violation, once a GOAWAY reports it.
    package internal(set) var violation: HTTP2Error?
    /// True once the peer's first SETTINGS has arrived.
    package internal(set) var hasPeerSettings = false
    /// Server: start of the unfinished header block, which blocks the whole connection.
    package var headerBlockBegan: MonotonicTime? { scanner.blockBegan }

    package convenience init(role: Role, settings: HTTP2Settings, now: MonotonicTime) throws(HTTP2Error) {
        try self.init(role: role, settings: settings, bodyBudget: nil, now: now)
    }

    /// A server with a body budget reports `.head` for every request.
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
        headerEncoder = try HTTP2HeaderEncoder(role)
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
        // Our own limit is finer: it forgives resets of answered streams, as libcurl's.
        unsafe nghttp2_option_set_stream_reset_rate_limit(options, 1 << 30, 1 << 30)
        // Excess streams must wait in our queue, which has deadlines, not in nghttp2's.
        unsafe nghttp2_option_set_peer_max_concurrent_streams(options, UInt32(Int32.max))
        let owner = unsafe Unmanaged.passUnretained(self).toOpaque()
        // The property itself, lent here, would be checked for exclusive access at every later use.
        var handle: OpaquePointer?
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
        unsafe self.handle = handle
    }

    private func announce() throws(HTTP2Error) {
        var entries = [
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limitForLibrary(settings.maxConcurrentStreams)),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, settings.initialWindowByteCount),
            (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, settings.headerTableByteCount),
            (NGHTTP2_SETTINGS_MAX_FRAME_SIZE, settings.frameByteCountMax),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, settings.headerListByteCountMax),
        ]
        // Sent by clients only; ours wants no pushed responses.
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

    /// A client's peer opens no streams.
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

    /// Consumes all of `bytes`. Afterwards take the events, then the bytes to send.
    package func receive(_ bytes: Span<UInt8>, now: MonotonicTime) throws(HTTP2Error) {
        self.now = now
        let findings = scanner.scan(bytes, settings: settings, now: now)
        // A client first takes the answers among the bytes.
        if role == .server { judge(findings) }
        guard !isEnding else { return }
        isReading = true
        let count = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe nghttp2_session_mem_recv(handle, bytes.baseAddress, bytes.count)
        }
        isReading = false
        if tally.isFlooded { calm() }
        // After the peer's earlier fault, the GOAWAY with the reason is still to be sent.
        guard count >= 0 || isEnding else {
            throw .library(call: "session_mem_recv", code: Int32(truncatingIfNeeded: count))
        }
        if role == .client { judge(findings) }
    }

    /// Appends bytes until nothing waits or `queue` holds `byteCountMax`, plus at most one frame.
    package func send(into queue: inout ByteQueue, byteCountMax: Int) throws(HTTP2Error) {
        while queue.byteCount < byteCountMax {
            var bytes: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(handle, &bytes)
            guard count >= 0 else { throw .library(call: "session_mem_send", code: Int32(truncatingIfNeeded: count)) }
            guard count > 0, let bytes = unsafe bytes else { return }
            let frame = unsafe UnsafeBufferPointer(start: bytes, count: count)
            if let head = writtenHead.take() {
                try write(head, insteadOf: unsafe frame.span, into: &queue)
            } else if role == .server, let changed = unsafe HTTP2StreamLimit.unmarked(frame) {
                queue.append(changed.span)
            } else {
                unsafe queue.append(frame.span)
            }
        }
    }

    /// Connection's send window (RFC 9113 section 5.2), shared by all streams.
    var sendWindowByteCount: Int { Int(unsafe nghttp2_session_get_remote_window_size(handle)) }

    /// Body bytes that fit uncut.
    package var bodyRoomByteCount: Int {
        let window = sendWindowByteCount
        let bodies = bodies
        return min(window, bodies.byteCountToMark(window: window)) - bodies.unsentByteCount
    }

    package var isBodyCut: Bool { bodies.isCut }

    /// False once both directions have ended, by GOAWAY or by the peer's error. Close the connection then.
    package var isAlive: Bool {
        unsafe nghttp2_session_want_read(handle) != 0 || nghttp2_session_want_write(handle) != 0
    }

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

    func report(_ event: Event) {
        events.append(event)
    }

    // MARK: Slots

    package var slotCount: Int { streams.count }

    package var openStreamCount: Int { takenSlotCount }

    func takeSlot() -> Int {
        takenSlotCount += 1
        if let slot = freeSlots.popLast() { return slot }
        streams.append(HTTP2Stream())
        return streams.count - 1
    }

    func freeSlot(_ slot: Int) {
        // Client's responses are short and many; peers choose how many slots a server has.
        let unsentByteCount = streams[slot].free(keepsHeaderMemory: role == .client, bodyBudget)
        bodies.didFree(slot, unsentByteCount: unsentByteCount)
        freeSlots.append(slot)
        takenSlotCount -= 1
    }

    func slot(of streamID: Int32) -> Int? {
        if streamID == lastStreamID { return lastSlot }
        let data = unsafe nghttp2_session_get_stream_user_data(handle, streamID)
        let number = Int(bitPattern: data)
        guard number != 0 else { return nil }
        (lastStreamID, lastSlot) = (streamID, number - 1)
        return lastSlot
    }

    // MARK: The connection

    /// Server: `count` is below 2^31. Excess streams from before the peer knows it are refused, without a connection
    /// error.
    package func setMaxConcurrentStreams(_ count: UInt32) throws(HTTP2Error) {
        precondition(role == .server && count <= Int32.max)
        try submitSettings([(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limitForLibrary(count))])
        streamLimit.announce(count)
    }

    /// Server: refuses the newest unfinished requests above `count`, for the peer to retry (RFC 9113 section 8.7).
    package func refuseStreams(above count: UInt32) throws(HTTP2Error) {
        let unfinished = streams.indices.filter { receivingSince($0) != nil }.sorted { streams[$0].id > streams[$1].id }
        for slot in unfinished.prefix(max(0, streamLimit.openCount - Int(count))) {
            tally.refusedStreamCount += 1
            try reset(slot, code: NGHTTP2_REFUSED_STREAM.rawValue)
        }
    }

    /// Refuses new streams from the peer; open ones may end.
    ///
    /// - Parameters:
    ///   - code: RFC 9113 section 7.
    ///   - debugData: A few KB at most.
    ///   - lastStreamID: Streams above it are reset with REFUSED_STREAM. Nil: the last one received.
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

    package func submitPing() throws(HTTP2Error) {
        try Self.check("submit_ping", unsafe nghttp2_submit_ping(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil))
    }

    /// Queues a GOAWAY with debug data and ignores all later input.
    func end(code: UInt32, debugData: [UInt8]) {
        guard !isEnding else { return }
        isEnding = true
        // Fails only without memory; no GOAWAY is sent then.
        try? submitGoAway(code: code, debugData: debugData)
        report(.ended)
    }

    /// Queues a GOAWAY and ends; `isAlive` is false once it is written.
    package func terminate(code: UInt32) throws(HTTP2Error) {
        try Self.check("session_terminate_session", unsafe nghttp2_session_terminate_session(handle, code))
    }
}
