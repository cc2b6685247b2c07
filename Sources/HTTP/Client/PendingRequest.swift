import Networking
import Platform

typealias RequestContinuation = UnsafeContinuation<Result<HTTP2Response, TransportError>, Never>

/// Request without its response. Taken out of the table to be finished, and thus finished once.
@safe struct PendingRequest {
    let id: UInt64
    let deadline: MonotonicTime
    /// Nil: notify the connection's owner.
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
