#if !canImport(Darwin)
import HTTPSClient
import NotificationCore
import Platform

/// One POST of JSON to the relay.
enum RelayExchange {
    private static let answerByteCountMax = 64 << 10

    /// - Returns: the answer's status.
    /// - Throws: `RelayClientError`.
    static func post(
        _ body: [UInt8],
        to url: String,
        host: String,
        port: UInt16
    ) async throws(RelayClientError) -> Int {
        // A simulated device posts to no host but those that its test has put on this machine.
        if let device = SimulatedDevice.current, !device.hosts.contains(where: { $0.host == host && $0.port == port }) {
            throw .notReached
        }
        var request = HTTPSRequest(.post, url)
        request.fields = [("content-type", "application/json"), ("accept-encoding", "identity")]
        request.body = HTTPSRequest.Body(bytes: body)
        let byteCount = Guarded(0)
        let result = await DeviceExchange.run(request, host: host, port: port) { bytes in
            byteCount.withLock { count in
                count += bytes.byteCount
                return count <= answerByteCountMax
            }
        }
        do throws(HTTPSError) { return try result.get().status } catch { throw RelayClientError(error) }
    }
}

extension RelayClientError {
    fileprivate init(_ error: HTTPSError) {
        self =
            switch error {
            case .cancelled: .cancelled
            case .notReached, .library: .notReached
            case .notTrusted: .notTrusted
            case .connectionLost: .connectionLost
            case .malformedAnswer, .refusedByCaller: .wrongAnswer
            }
    }
}
#endif
