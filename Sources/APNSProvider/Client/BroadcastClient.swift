public import APNS
import HTTP
import Networking

/// Manages broadcast channels and sends to them, over one connection to each of Apple's two services.
///
/// - Source: "Sending channel management requests to APNs", "Sending broadcast push notification requests to APNs".
public actor BroadcastClient {
    /// Server for broadcasts.
    public nonisolated let push: APNSEndpoint
    /// Server for channels.
    public nonisolated let management: BroadcastEndpoint
    private let configuration: APNSClientConfiguration
    private let loop: EventLoop
    private var credential: PoolCredential
    private var connections: [BroadcastRequest.Role: HTTP2ClientConnection] = [:]

    /// Makes a client; it connects with the first request.
    ///
    /// - Parameters:
    ///   - push: For broadcasts.
    ///   - management: For channels.
    ///   - credential: Signing key or a certificate.
    ///   - configuration: Trust, proxy and deadlines; the pool's settings are not used.
    /// - Throws: As `APNSClient.init`.
    public init(
        push: APNSEndpoint,
        management: BroadcastEndpoint,
        credential: APNSCredential,
        configuration: APNSClientConfiguration = APNSClientConfiguration()
    ) throws(ProviderError) {
        self.push = push
        self.management = management
        self.configuration = configuration
        self.credential = try PoolCredential(
            credential,
            for: push,
            trust: configuration.trust,
            clock: configuration.clock
        )
        loop = try configuration.loopOrNew()
    }

    deinit {
        if configuration.loop == nil { loop.stopLater() }
    }

    /// Sends a request, over the existing connection if there is one.
    ///
    /// - Throws: `.ambiguous` if APNs may have acted, or a success cannot be read: list the channels before making
    ///   another. Otherwise as `APNSClient.send`.
    public func send(_ request: BroadcastRequest) async throws(ProviderError) -> BroadcastResponse {
        let headers = try headers(of: request)
        let response: HTTP2Response
        do throws(TransportError) {
            response = try await send(HTTP2Request(headers: headers, body: request.body), request.role)
        } catch {
            throw Self.providerError(error)
        }
        do throws(BroadcastResponseError) {
            return try BroadcastResponse(to: request.operation, status: response.status, body: response.body) { name in
                response.headers[name].map(Array.init)
            }
        } catch {
            throw .ambiguous(SendError(cause: .malformedResponse, attemptCount: 1))
        }
    }

    /// Closes both connections after their answers.
    public func close() async {
        for connection in connections.values { await connection.close() }
        connections = [:]
    }

    private func headers(of request: BroadcastRequest) throws(ProviderError) -> HeaderBlock {
        var headers = HeaderBlock()
        let endpoint = endpoint(request.role)
        headers.append(Array(":method".utf8), request.method)
        headers.append(HeaderName.scheme, "https")
        headers.append(HeaderName.authority, endpoint.authority)
        headers.append(HeaderName.path, request.path, indexing: .notIndexed)
        if let token = try credential.token(at: .now()) {
            headers.append(HeaderName.authorization, token.authorization, indexing: .neverIndexed)
        }
        for field in request.fields { headers.append(field.name, field.value) }
        return headers
    }

    private func send(
        _ request: HTTP2Request,
        _ role: BroadcastRequest.Role
    ) async throws(TransportError) -> HTTP2Response {
        if let connection = connections[role] {
            do throws(TransportError) {
                return try await connection.send(request)
            } catch {
                connections[role] = nil
                // Nothing was sent.
                guard case .notProcessed = error else { throw error }
            }
        }
        let endpoint = endpoint(role)
        var limits = HTTP2ClientLimits()
        limits.channel.connectDeadline = configuration.connectDeadline
        limits.channel.route.proxy = configuration.proxy
        limits.channel.route.resolver = configuration.resolver
        limits.requestDeadline = configuration.answerDeadline
        let connection = try await HTTP2ClientConnection.connect(
            host: endpoint.host,
            port: endpoint.port,
            context: credential.context,
            loop: loop,
            limits: limits
        )
        connections[role] = connection
        return try await connection.send(request)
    }

    private func endpoint(_ role: BroadcastRequest.Role) -> APNSEndpoint {
        switch role {
        case .push: push
        case .management: APNSEndpoint(host: management.host, port: management.port)
        }
    }

    private static func providerError(_ error: TransportError) -> ProviderError {
        switch error {
        case .notProcessed(.cancelled): .cancelled(mayHaveBeenSent: false)
        case .ambiguous(.cancelled): .cancelled(mayHaveBeenSent: true)
        case .notProcessed(let cause): .notProcessed(SendError(cause: cause, attemptCount: 1))
        case .ambiguous(let cause): .ambiguous(SendError(cause: cause, attemptCount: 1))
        default: .notProcessed(SendError(cause: .connection(error), attemptCount: 0))
        }
    }
}
