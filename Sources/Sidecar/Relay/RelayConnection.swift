import Envelope
import HTTPSClient
import Platform
import Primitives

/// Requests to the relay, over shared connections.
final class RelayConnection: Sendable {
    /// 1,000 bundles have up to 4 MB.
    private static let answerByteCountMax = 5 << 20
    private static let queriedCountMax = 1_000

    private let relay: SidecarConfiguration.Relay
    private let key: SecretBytes
    private let connections: HTTPSConnections
    private let queries = Guarded(Turns())

    /// The relay answers one query of a tenant at a time.
    private struct Turns {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    init(_ relay: SidecarConfiguration.Relay, key: consuming SecretBytes) throws(HTTPSError) {
        self.relay = relay
        self.key = key
        connections = try HTTPSConnections()
    }

    func stop() { connections.stop() }

    /// Fetches those bundles that changed.
    ///
    /// - Parameter devices: tag of the copy here, by id.
    func bundles(of devices: [String: String?]) async -> [String: Result<FetchedBundle, Rejection>] {
        var found: [String: Result<FetchedBundle, Rejection>] = [:]
        var rest = Array(devices)[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.queriedCountMax))
            rest = rest.dropFirst(Self.queriedCountMax)
            let answer = part.count > 1 ? await queryInTurn(part) : nil
            for (device, _) in part {
                if let answer {
                    found[device] = answer[device] ?? .failure(.bundleUnavailable)
                } else {
                    found[device] = await bundle(of: device)
                }
            }
        }
        return found
    }

    private func queryInTurn(
        _ devices: [(key: String, value: String?)]
    ) async -> [String: Result<FetchedBundle, Rejection>]? {
        await withCheckedContinuation { continuation in
            let isFree = queries.withLock { turns in
                if turns.isTaken { turns.waiting.append(continuation) }
                defer { turns.isTaken = true }
                return !turns.isTaken
            }
            if isFree { continuation.resume() }
        }
        defer {
            let next = queries.withLock { turns in
                turns.isTaken = !turns.waiting.isEmpty
                return turns.waiting.isEmpty ? nil : turns.waiting.removeFirst()
            }
            next?.resume()
        }
        return await query(devices)
    }

    /// - Returns: nil if the relay runs a query of another process.
    private func query(_ devices: [(key: String, value: String?)]) async -> [String: Result<FetchedBundle, Rejection>]?
    {
        var request = request(.post, "/v1/bundles/query")
        request.fields += [("Content-Type", "application/json")]
        var writer = JSONWriter(reserving: 100 * devices.count)
        writer.object { writer in
            writer.name("devices")
            writer.array { writer in
                for (device, tag) in devices {
                    writer.object { writer in
                        writer.member("device", device)
                        if let tag { writer.member("etag", tag) }
                    }
                }
            }
        }
        request.body = HTTPSRequest.Body(bytes: writer.bytes)
        guard let answer = try? await answer(to: request) else { return [:] }
        guard answer.status != 429 else { return nil }
        let document = answer.status == 200 ? try? JSONParser.parse(answer.body, limits: Self.limits) : nil
        var found: [String: Result<FetchedBundle, Rejection>] = [:]
        for element in document?["bundles"]?.elements ?? [] {
            guard let device = element["device"]?.string else { continue }
            switch element["state"]?.string {
            case "unchanged": found[device] = .success(.unchanged)
            case "missing": found[device] = .failure(.unknownDevice)
            default: found[device] = FetchedBundle.read(element, tag: element["etag"]?.string)
            }
        }
        return found
    }

    private func bundle(of device: String) async -> Result<FetchedBundle, Rejection> {
        let answer: RelayAnswer
        do throws(HTTPSError) {
            answer = try await self.answer(to: request(.get, "/v1/devices/\(device)/bundle"))
        } catch {
            return .failure(.bundleUnavailable)
        }
        switch answer.status {
        case 200: return FetchedBundle.read(try? JSONParser.parse(answer.body, limits: Self.limits), tag: nil)
        case 404: return .failure(.unknownDevice)
        default: return .failure(.bundleUnavailable)
        }
    }

    private static let limits = JSONParser.Limits(
        byteCountMax: answerByteCountMax,
        depthMax: 8,
        allowsFractions: true
    )

    /// - Parameter idempotencyKey: the same for the same body.
    func post(_ body: [UInt8], idempotencyKey: String) async throws(HTTPSError) -> RelayAnswer {
        var request = request(.post, "/v1/notifications")
        request.fields += [("Content-Type", "application/json"), ("Idempotency-Key", idempotencyKey)]
        request.body = HTTPSRequest.Body(bytes: body)
        return try await answer(to: request)
    }

    private func request(_ method: HTTPSRequest.Method, _ path: String) -> HTTPSRequest {
        var request = HTTPSRequest(method, relay.origin + path)
        let word = key.withBytes { String(decoding: [UInt8](copying: $0), as: UTF8.self) }
        request.fields = [("Authorization", "Bearer \(word)")]
        request.trust = relay.authoritiesFile.map { .file(path: $0) } ?? .system
        request.allowsPlainHTTP = relay.isPlain
        request.sharesConnections = true
        request.patience.stallSeconds = 15
        request.patience.wholeSeconds = 60
        return request
    }

    private func answer(to request: HTTPSRequest) async throws(HTTPSError) -> RelayAnswer {
        let state = Guarded(RelayAnswer(status: 0))
        let result: Result<RelayAnswer, HTTPSError> = await withCheckedContinuation { continuation in
            connections.start(
                request,
                onHead: { head in
                    let seconds = head["retry-after"].flatMap { Int($0) }
                    state.withLock { $0 = RelayAnswer(status: head.status, retryAfterSeconds: seconds) }
                    return true
                },
                onBytes: { bytes in
                    state.withLock { answer in
                        unsafe bytes.withUnsafeBytes { unsafe answer.body.append(contentsOf: $0) }
                        return answer.body.count <= Self.answerByteCountMax
                    }
                },
                completion: { error in
                    continuation.resume(returning: error.map { .failure($0) } ?? .success(state.withLock { $0 }))
                }
            )
        }
        return try result.get()
    }
}
