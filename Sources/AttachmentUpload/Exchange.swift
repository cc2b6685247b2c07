internal import HTTPSClient
internal import Platform

/// One request on a thread of its own, so that no thread of tasks waits for a network.
enum Exchange {
    /// An answer's body says nothing that is needed; more than this is not waited for.
    private static let bodyByteCountMax = 64 << 10
    /// libcurl and OpenSSL keep their larger things elsewhere.
    private static let stackByteCount = 512 << 10

    /// - Parameter request: what to ask.
    /// - Returns: the answer's head, or why there is none where that may be otherwise next time.
    /// - Throws: what will not be otherwise.
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
            // A server may answer, and hang up, before it has taken the whole body: its word counts.
            guard let head, error != .cancelled else { throw error }
            return head
        }
    }
}
