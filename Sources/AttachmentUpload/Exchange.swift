internal import HTTPSClient
internal import Platform

/// One request on its own thread, so that no task's thread waits for the network.
enum Exchange {
    /// Bodies are ignored.
    private static let bodyByteCountMax = 64 << 10
    /// Size that suffices: libcurl and OpenSSL keep large buffers elsewhere.
    private static let stackByteCount = 512 << 10

    /// - Returns: head, or an error that a retry may cure.
    /// - Throws: errors that no retry cures.
    static func run(_ request: HTTPSRequest) async throws(UploadError) -> Result<HTTPSHead, UploadError> {
        let exchange = HTTPSExchange()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let started = DetachedThread.start(stackByteCount: stackByteCount) {
                    continuation.resume(returning: Result { () throws(HTTPSError) in try run(request, exchange) })
                }
                if !started { continuation.resume(returning: .failure(.library(call: "pthread_create", code: EAGAIN))) }
            }
        } onCancel: {
            exchange.cancel()
        }
        switch result {
        case .success(let head): return .success(head)
        case .failure(.notReached), .failure(.connectionLost): return .failure(.connectionLost)
        case .failure(.cancelled): throw .cancelled
        case .failure(.notTrusted), .failure(.certificateHasBadDate): throw .notTrusted
        case .failure(.refusedByCaller): throw .file(code: EIO)
        case .failure(.malformedAnswer): throw .malformedAnswer
        case .failure(.library): throw .system
        }
    }

    private static func run(_ request: HTTPSRequest, _ exchange: HTTPSExchange) throws(HTTPSError) -> HTTPSHead {
        var head: HTTPSHead?
        var byteCount = 0
        do throws(HTTPSError) {
            return try exchange.run(request) {
                head = $0
                return true
            } onBytes: { bytes in
                byteCount += bytes.byteCount
                return byteCount <= bodyByteCountMax
            }
        } catch {
            // A server may answer and hang up before it has read the body: its answer counts.
            guard let head, error != .cancelled else { throw error }
            return head
        }
    }
}
