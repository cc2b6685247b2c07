typealias RequestContinuation = UnsafeContinuation<Result<HTTP2Response, TransportError>, Never>

/// One request that waits for its response. Whoever takes it out of the table finishes it: that is why once.
@safe struct PendingRequest {
    let id: UInt64
    let deadline: MonotonicTime
    /// Nil: the connection's owner is told.
    private let continuation: RequestContinuation?

    init(id: UInt64, deadline: MonotonicTime, continuation: RequestContinuation?) {
        self.id = id
        self.deadline = deadline
        unsafe self.continuation = continuation
    }

    consuming func finish(_ result: Result<HTTP2Response, TransportError>, _ owner: (any HTTP2ClientOwner)?) {
        if let continuation = unsafe continuation {
            unsafe continuation.resume(returning: result)
        } else {
            owner?.requestDidEnd(id, result)
        }
    }
}
