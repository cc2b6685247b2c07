internal import CPostgreSQL
internal import Platform

/// Owns one connection of libpq's. No call waits for the network; each belongs to the loop's thread.
@safe struct Session: ~Copyable {
    enum Polling { case reading, writing, connected, failed }
    enum Flush { case done, more, failed }
    enum Reply {
        case result(QueryResult)
        case failed(ServerReport)
        /// Skipped, because an earlier statement of the batch failed.
        case skipped
        /// End of one statement's results.
        case end
        /// End of the batch.
        case sync
    }

    private let handle: OpaquePointer
    private let notices: NoticeBox

    /// Begins to connect. A host's name must come with its address: the library's own lookup blocks.
    ///
    /// - Returns: nil without memory.
    init?(_ parameters: [(name: String, value: String)]) {
        let (names, values) = (parameters.map(\.name), parameters.map(\.value))
        let handle = unsafe Self.withPointers(names) { names in
            unsafe Self.withPointers(values) { values in unsafe PQconnectStartParams(names, values, 0) }
        }
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
        notices = NoticeBox()
        // An error's code, and never its text, which may quote contents.
        unsafe PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
        let box = unsafe Unmanaged.passUnretained(notices).toOpaque()
        unsafe PQsetNoticeReceiver(handle, { box, notice in unsafe NoticeBox.receive(box, notice) }, box)
    }

    deinit { unsafe PQfinish(handle) }

    private static func withPointers<Result>(
        _ texts: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = unsafe texts.map { unsafe UnsafePointer(strdup($0)) } + [nil]
        defer { unsafe copies.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
        return unsafe copies.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("it has its end at least") }
            return unsafe body(start)
        }
    }

    // MARK: Connecting

    var descriptor: Int32 { unsafe PQsocket(handle) }

    func poll() -> Polling {
        switch unsafe PQconnectPoll(handle) {
        case PGRES_POLLING_READING: .reading
        case PGRES_POLLING_WRITING: .writing
        case PGRES_POLLING_OK: .connected
        default: .failed
        }
    }

    var hasFailed: Bool { unsafe PQstatus(handle) == CONNECTION_BAD }
    /// The server's process for this session.
    var backendID: Int32 { unsafe PQbackendPID(handle) }
    var serverVersion: Int { Int(unsafe PQserverVersion(handle)) }

    /// The library's words for a failed connect.
    var errorText: String { unsafe PQerrorMessage(handle).map { unsafe String(cString: $0) } ?? "" }

    /// Setting that the server reports by itself.
    func setting(_ name: String) -> String? {
        unsafe PQparameterStatus(handle, name).map { unsafe String(cString: $0) }
    }

    func enterPipeline() -> Bool {
        unsafe PQsetnonblocking(handle, 1) == 0 && PQenterPipelineMode(handle) == 1
    }

    // MARK: Sending

    func prepare(_ name: String, _ call: Batch.Call) -> Bool {
        let types = call.parameters.map(\.type.rawValue)
        return unsafe PQsendPrepare(handle, name, call.statement.text, Int32(types.count), types) == 1
    }

    /// - Parameter name: of the prepared statement; nil sends the text.
    func send(_ call: Batch.Call, as name: String?) -> Bool {
        let encoded = call.parameters.map(\.encoded)
        let types = call.parameters.map(\.type.rawValue)
        let lengths = encoded.map { Int32($0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: encoded.count)
        let count = Int32(encoded.count)
        // One buffer, at least a byte long: an address of its own for each value that is not NULL, also for empty ones.
        let bytes: [UInt8] = encoded.reduce(into: []) { $0 += $1 ?? [] } + [0]
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            var next = unsafe buffer.baseAddress.map { unsafe UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
            let values = unsafe encoded.map { value -> UnsafePointer<CChar>? in
                guard let value else { return nil }
                defer { unsafe next = next.map { unsafe $0 + value.count } }
                return unsafe next
            }
            guard let name else {
                return unsafe PQsendQueryParams(
                    handle,
                    call.statement.text,
                    count,
                    types,
                    values,
                    lengths,
                    formats,
                    1
                ) == 1
            }
            return unsafe PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
        }
    }

    func sync() -> Bool { unsafe PQpipelineSync(handle) == 1 }

    func flush() -> Flush {
        switch unsafe PQflush(handle) {
        case 0: .done
        case 1: .more
        default: .failed
        }
    }

    // MARK: Receiving

    /// - Returns: false once the connection is lost.
    func consume() -> Bool { unsafe PQconsumeInput(handle) == 1 }

    /// - Returns: nil until more has come. Only once all is flushed: the library would wait for that.
    func reply() -> Reply? {
        guard unsafe PQisBusy(handle) == 0 else { return nil }
        guard let result = unsafe PQgetResult(handle) else { return .end }
        switch unsafe PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return .result(unsafe QueryResult(owning: result))
        case PGRES_PIPELINE_SYNC:
            unsafe PQclear(result)
            return .sync
        case PGRES_PIPELINE_ABORTED:
            unsafe PQclear(result)
            return .skipped
        default:
            defer { unsafe PQclear(result) }
            return .failed(unsafe ServerReport(result))
        }
    }

    /// Warnings since the last call.
    func takeWarnings() -> [ServerReport] { notices.take() }

    func nextNotification() -> (channel: String, payload: String)? {
        guard let found = unsafe PQnotifies(handle) else { return nil }
        defer { unsafe PQfreemem(found) }
        guard let channel = unsafe found.pointee.relname, let payload = unsafe found.pointee.extra else { return nil }
        return unsafe (String(cString: channel), String(cString: payload))
    }
}

/// Warnings of a session, until its owner asks for them.
@safe private final class NoticeBox {
    private static let countMax = 16
    private var reports: [ServerReport] = []

    static func receive(_ box: UnsafeMutableRawPointer?, _ notice: OpaquePointer?) {
        guard let box = unsafe box else { return }
        let owner = unsafe Unmanaged<NoticeBox>.fromOpaque(box).takeUnretainedValue()
        let report = unsafe ServerReport(notice)
        // Those of no interest make no room for others.
        if report.severity == "WARNING", owner.reports.count < countMax { owner.reports.append(report) }
    }

    func take() -> [ServerReport] {
        defer { reports = [] }
        return reports
    }
}
