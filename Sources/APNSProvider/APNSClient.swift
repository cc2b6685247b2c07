import APNS
import Synchronization
package import Transport

/// Sends pushes over one connection. From any task; a task that runs on the loop saves a thread switch.
package final class APNSClient: Sendable {
    private let connection: HTTP2ClientConnection
    private let tokens: ProviderTokenSource
    private let clock: @Sendable () -> Moment
    private let encoder: Mutex<RequestEncoder>

    /// Connects and waits until APNs has said how many pushes it takes at once.
    ///
    /// - Parameters:
    ///   - endpoint: Apple's, or a simulator's.
    ///   - context: a client's, with `h2` as its protocol.
    ///   - loop: where the connection lives.
    ///   - tokens: shared by all connections of one key, because Apple counts how often a token changes.
    ///   - limits: deadlines, and how many pushes may wait.
    ///   - clock: what a token's age is read from.
    ///   - onEvent: called on the loop, which it must not block.
    /// - Returns: a client that can send.
    /// - Throws: `.transport`.
    package static func connect(
        to endpoint: APNSEndpoint,
        context: TLSContext,
        loop: EventLoop,
        tokens: ProviderTokenSource,
        limits: HTTP2ClientLimits = HTTP2ClientLimits(),
        clock: @escaping @Sendable () -> Moment = { Moment.now() },
        onEvent: @escaping @Sendable (HTTP2ClientEvent) -> Void = { _ in }
    ) async throws(ProviderError) -> APNSClient {
        do throws(TransportError) {
            let connection = try await HTTP2ClientConnection.connect(
                host: endpoint.host,
                port: endpoint.port,
                context: context,
                loop: loop,
                limits: limits,
                onEvent: onEvent
            )
            return APNSClient(connection, endpoint, tokens, clock)
        } catch {
            throw .transport(error)
        }
    }

    private init(
        _ connection: HTTP2ClientConnection,
        _ endpoint: APNSEndpoint,
        _ tokens: ProviderTokenSource,
        _ clock: @escaping @Sendable () -> Moment
    ) {
        self.connection = connection
        self.tokens = tokens
        self.clock = clock
        encoder = Mutex(RequestEncoder(authority: endpoint.authority))
    }

    /// Sends one push and waits for APNs's answer.
    ///
    /// - Returns: the answer, a refusal included.
    /// - Throws: `.notSendable` before anything is sent; `.key`; `.transport`, whose cases tell whether APNs may have
    ///   acted on the push.
    package func send(_ notification: PushNotification) async throws(ProviderError) -> APNSResponse {
        do throws(PushNotification.Fault) { try notification.check() } catch { throw .notSendable(error) }
        let token = try tokens.token(at: clock())
        let headers = encoder.withLock { $0.headers(for: notification, token) }
        let response: HTTP2Response
        do throws(TransportError) {
            response = try await connection.send(HTTP2Request(headers: headers, body: notification.payload))
        } catch {
            throw .transport(error)
        }
        let answer = APNSResponse(response)
        if let reason = answer.reason { tokens.tokenWasRefused(token, for: reason) }
        return answer
    }

    /// Takes no more pushes, and returns when those on their way have their answers.
    package func close() async { await connection.close() }
}

extension APNSResponse {
    fileprivate init(_ response: HTTP2Response) {
        status = response.status
        id = response.headers[HeaderName.id].flatMap { APNSID(text: $0.span, acceptsUpperCase: true) }
        outcome = response.status == 200 ? .accepted : .rejected(RejectionBody(json: response.body))
    }
}
