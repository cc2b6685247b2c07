#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
import HTTPSClient
import NotificationCore
import Platform

enum RelayExchange {
    static func run(
        _ asked: RelayRequest,
        to url: String,
        host: String,
        port: UInt16
    ) async throws(RelayClientError) -> RelayAnswer {
        // A simulated device reaches only its test's hosts on this machine.
        if let device = SimulatedDevice.current, !device.hosts.contains(where: { $0.host == host && $0.port == port }) {
            throw .notReached
        }
        guard let method = HTTPSRequest.Method(rawValue: asked.method.rawValue) else { throw .url }
        var request = HTTPSRequest(method, url)
        request.fields = [("accept-encoding", "identity"), ("cache-control", "no-cache")]
        if let authorization = asked.authorization { request.fields.append(("authorization", authorization)) }
        if let body = asked.json {
            request.fields.append(("content-type", "application/json"))
            request.body = HTTPSRequest.Body(bytes: body)
        }
        let body = Guarded<[UInt8]>([])
        let result = await DeviceExchange.run(request, host: host, port: port) { bytes in
            body.withLock { body in
                guard body.count + bytes.byteCount <= RelayRequest.answerByteCountMax else { return false }
                unsafe bytes.withUnsafeBytes { unsafe body.append(contentsOf: $0) }
                return true
            }
        }
        do throws(HTTPSError) {
            let head = try result.get()
            return RelayAnswer(
                status: head.status,
                body: body.withLock { $0 },
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
