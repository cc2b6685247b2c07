#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
import HTTPSClient
import NotificationCore
import Platform

enum RelayExchange {
    private static let answerByteCountMax = 64 << 10

    /// - Parameter body: JSON; nil for a HEAD.
    static func run(
        _ body: [UInt8]?,
        to url: String,
        host: String,
        port: UInt16
    ) async throws(RelayClientError) -> AnswerHead {
        // A simulated device reaches only its test's hosts on this machine.
        if let device = SimulatedDevice.current, !device.hosts.contains(where: { $0.host == host && $0.port == port }) {
            throw .notReached
        }
        var request = HTTPSRequest(body == nil ? .head : .post, url)
        request.fields = [("accept-encoding", "identity"), ("cache-control", "no-cache")]
        if let body {
            request.fields.append(("content-type", "application/json"))
            request.body = HTTPSRequest.Body(bytes: body)
        }
        let byteCount = Guarded(0)
        let result = await DeviceExchange.run(request, host: host, port: port) { bytes in
            byteCount.withLock { count in
                count += bytes.byteCount
                return count <= answerByteCountMax
            }
        }
        do throws(HTTPSError) {
            let head = try result.get()
            return AnswerHead(
                status: head.status,
                date: head["date"],
                isFromCache: head.fields.contains { $0.name == "age" }
            )
        } catch {
            throw RelayClientError(error)
        }
    }
}

extension RelayClientError {
    fileprivate init(_ error: HTTPSError) {
        self =
            switch error {
            case .cancelled: .cancelled
            case .notReached, .library: .notReached
            case .notTrusted: .notTrusted
            case .certificateHasBadDate: .certificateHasBadDate
            case .connectionLost: .connectionLost
            case .malformedAnswer, .refusedByCaller: .wrongAnswer
            }
    }
}
#endif
