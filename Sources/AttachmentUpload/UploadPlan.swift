/// State machine of one upload, without I/O or clock. After any failure it resumes at the offset that the host names.
struct UploadPlan {
    enum Action: Equatable {
        /// `POST` with the first bytes.
        case begin(byteCount: UInt64)
        case append(path: String, offset: UInt64, byteCount: UInt64)
        /// `HEAD`.
        case ask(path: String)
        case finish(path: String)
        case fail(UploadError)
    }

    struct Answer: Equatable {
        var status: Int
        /// `Upload-Offset`.
        var offset: UInt64?
        /// `Upload-Complete`.
        var isComplete = false
        var location: String?
    }

    /// Consecutive failures that end an upload.
    static let failureCountMax = 6
    /// Host's limit, and the most that is sent again.
    static let partByteCountMax: UInt64 = 1 << 20

    let byteCount: UInt64
    /// Consecutive failures without progress.
    private(set) var failureCount = 0
    private var path: String?
    private var offset: UInt64 = 0
    private var asks = false
    private var end: Action?

    init(byteCount: UInt64) { self.byteCount = byteCount }

    var next: Action {
        if let end { return end }
        guard let path else { return .begin(byteCount: min(byteCount, Self.partByteCountMax)) }
        if asks { return .ask(path: path) }
        return .append(path: path, offset: offset, byteCount: min(byteCount - offset, Self.partByteCountMax))
    }

    mutating func handle(_ answer: Answer) {
        switch answer.status {
        case 200..<300 where answer.isComplete:
            end = answer.location.map { .finish(path: $0) } ?? .fail(.malformedAnswer)
        case 200..<300: advance(answer)
        case 409 where path != nil, 500, 502, 503, 504: handleFailure(.refused(status: answer.status))
        case 401, 403: end = .fail(.unauthorized)
        case 404: end = .fail(path == nil ? .refused(status: 404) : .gone)
        case 413: end = .fail(.tooLarge)
        case 429: end = .fail(.tooManyUploads)
        case 507: end = .fail(.noSpace)
        default: end = .fail(.refused(status: answer.status))
        }
    }

    private mutating func advance(_ answer: Answer) {
        guard let path = path ?? answer.location, let new = answer.offset, new <= byteCount else {
            end = .fail(.malformedAnswer)
            return
        }
        // Such a part would be sent for ever.
        let isStuck = self.path != nil && !asks && new <= offset && offset < byteCount
        guard !isStuck else { return handleFailure(.malformedAnswer) }
        if new > offset { failureCount = 0 }
        self.path = path
        offset = new
        asks = false
    }

    /// Handles a missing answer, or one that may differ on a retry.
    mutating func handleFailure(_ error: UploadError) {
        failureCount += 1
        asks = path != nil
        if failureCount >= Self.failureCountMax { end = .fail(error) }
    }
}
