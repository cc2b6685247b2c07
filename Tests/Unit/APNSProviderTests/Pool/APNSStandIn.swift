import APNS
import APNSProvider
import HTTP
import Networking
import Primitives
import Synchronization
import TestCertificates
import TestSupport

/// A server whose answers the test gives, and a client of it: each on a loop of its own.
final class APNSStandIn: Sendable {
    private let serverLoop: EventLoop
    private let clientLoop: EventLoop
    private let context: TLSContext
    let authorityPEM: [UInt8]
    private let connectionCount = Atomic(0)

    init() throws {
        let authority = try TestAuthority()
        let identity = try authority.issue()
        authorityPEM = try authority.certificatePEM
        context = unsafe try .server(
            certificateChainPEM: identity.certificatePEM,
            privateKeyPEM: identity.privateKeyPEM.span.bytes,
            alpn: ["h2"]
        )
        serverLoop = try EventLoop()
        clientLoop = try EventLoop()
    }

    deinit {
        // The server may hold the last reference, on its own loop.
        clientLoop.stopLater()
        serverLoop.stopLater()
    }

    func serve(
        streamCountMax: UInt32 = 1000,
        windowByteCount: Int32 = 16 << 20,
        _ handle: @escaping @Sendable (Push) -> Void
    ) async throws -> HTTP2Server {
        var limits = HTTP2ServerLimits.patient
        limits.settings.maxConcurrentStreams = streamCountMax
        limits.settings.connectionWindowByteCount = windowByteCount
        return try await .start(
            address: "127.0.0.1",
            port: 0,
            context: context,
            loop: serverLoop,
            limits: limits
        ) { [self] connection in
            Handler(connection, connectionCount.add(1, ordering: .relaxed).newValue, handle)
        }
    }

    func client(
        of server: HTTP2Server,
        _ change: (inout APNSClientConfiguration) -> Void = { _ in }
    ) throws -> APNSClient {
        try client(port: server.port, change)
    }

    func client(
        port: UInt16,
        host: String = "127.0.0.1",
        _ change: (inout APNSClientConfiguration) -> Void = { _ in }
    ) throws -> APNSClient {
        var configuration = Self.patience
        configuration.trust = .pem(authorityPEM)
        configuration.loop = clientLoop
        change(&configuration)
        return try APNSClient(
            endpoint: APNSEndpoint(host: host, port: port),
            credential: .token(Self.tokens()),
            configuration: configuration
        )
    }

    /// No deadline may fire on a starved machine.
    static var patience: APNSClientConfiguration {
        var configuration = APNSClientConfiguration()
        (configuration.deadline, configuration.answerDeadline) = (.seconds(600), .seconds(600))
        (configuration.connectDeadline, configuration.pingAfter, configuration.pingDeadline) =
            (.seconds(600), .seconds(600), .seconds(600))
        return configuration
    }

    func lanes(_ observer: any APNSClientObserver) throws -> APNSClients {
        var configuration = Self.patience
        configuration.trust = .pem(authorityPEM)
        configuration.loop = clientLoop
        configuration.observer = observer
        return try APNSClients(configuration: configuration)
    }

    static func lane(of server: HTTP2Server, keyID: String) throws -> APNSClients.Key {
        let endpoint = APNSEndpoint(host: "127.0.0.1", port: server.port)
        return APNSClients.Key(teamID: try TeamID("DEF123GHIJ"), keyID: try KeyID(keyID), endpoint: endpoint)
    }

    func broadcastClient(of server: HTTP2Server) throws -> BroadcastClient {
        var configuration = Self.patience
        configuration.trust = .pem(authorityPEM)
        configuration.loop = clientLoop
        return try BroadcastClient(
            push: APNSEndpoint(host: "127.0.0.1", port: server.port),
            management: BroadcastEndpoint(host: "127.0.0.1", port: server.port),
            credential: .token(Self.tokens()),
            configuration: configuration
        )
    }

    static func tokens(keyID: String = "ABC123DEFG") throws -> ProviderTokenSource {
        ProviderTokenSource(key: try ThrowawayKeys.first(), keyID: try KeyID(keyID), teamID: try TeamID("DEF123GHIJ"))
    }

    static func notification(_ number: Int = 0) throws -> PushNotification { try notification(number, padding: 0) }

    static func notification(_ number: Int, padding: Int) throws -> PushNotification {
        PushNotification(
            id: APNSID(randomBytes: [UInt8(number >> 8), UInt8(number & 0xFF)] + [UInt8](repeating: 0, count: 14)),
            deviceToken: try DeviceToken(bytes: [UInt8](repeating: 0xAB, count: 32)),
            topic: try Topic("com.example.chat"),
            payload: Array((#"{"aps":{"alert":"x"}}"# + String(repeating: " ", count: padding)).utf8)
        )
    }
}

/// One push as the server got it. Unchecked: used only on the server's loop, where it was made.
struct Push: @unchecked Sendable {
    let connection: HTTP2ServerConnection
    /// From 1.
    let connectionNumber: Int
    let request: HTTP2ServerRequest
    private let responder: HTTP2Responder

    init(
        _ connection: HTTP2ServerConnection,
        _ number: Int,
        _ request: HTTP2ServerRequest,
        _ responder: HTTP2Responder
    ) {
        self.connection = connection
        connectionNumber = number
        self.request = request
        self.responder = responder
    }

    var id: ArraySlice<UInt8> { request.headers["apns-id"] ?? [] }

    func accept() { respond(200, idField, []) }

    func reject(_ reason: Reason, timestampMilliseconds: Int64? = nil) {
        let body = RejectionBody(reason, timestampMilliseconds: timestampMilliseconds)
        respond(reason.status, idField, body.json)
    }

    func respond(_ status: Int, _ headers: HeaderBlock, _ body: [UInt8]) {
        responder.respond(status: status, headers: headers, body: body)
    }

    private var idField: HeaderBlock {
        var headers = HeaderBlock()
        headers.append("apns-id", id)
        return headers
    }
}

private final class Handler: HTTP2Handler {
    private let connection: HTTP2ServerConnection
    private let number: Int
    private let handle: @Sendable (Push) -> Void

    init(_ connection: HTTP2ServerConnection, _ number: Int, _ handle: @escaping @Sendable (Push) -> Void) {
        self.connection = connection
        self.number = number
        self.handle = handle
    }

    func handle(_ request: HTTP2ServerRequest, _ responder: HTTP2Responder) {
        handle(Push(connection, number, request, responder))
    }
}
