typealias RequestContinuation = UnsafeContinuation<Result<HTTP2Response, TransportError>, Never>

/// One caller who waits for a response. Whoever takes it out of the table finishes it: that is why once.
@safe struct PendingRequest {
    let id: UInt64
    let deadline: MonotonicTime
    private let continuation: RequestContinuation

    init(id: UInt64, deadline: MonotonicTime, continuation: RequestContinuation) {
        self.id = id
        self.deadline = deadline
        unsafe self.continuation = continuation
    }

    consuming func finish(_ result: Result<HTTP2Response, TransportError>) {
        unsafe continuation.resume(returning: result)
    }
}
