import APNS
import APNSProvider
import DeviceLink
import HTTP
import Networking
import Platform
import Primitives
import TestCertificates
import TestSupport

@testable import APNSSimulator

/// A simulator with its optional ports: channel management, the binary gateway, feedback.
final class ServiceSite: Sendable {
    static let start: Int64 = 2_051_222_400

    let simulatorLoop: EventLoop
    let clientLoop: EventLoop
    let simulator: Simulator
    let events = Recorder<SimulatorEvent>()
    let tokens: ProviderTokenSource
    let app: Topic
    let http2: TLSContext
    /// Both sides trust this authority's certificates.
    let authorityPEM: [UInt8]
    /// By bundle id; the last one's subject has no UID.
    let certificates: [String: TestAuthority.Identity]
    private let deviceContext: TLSContext
    private let clock: Clock

    private final class Clock: Sendable {
        let seconds = Guarded(ServiceSite.start)
    }

    init(
        keyedTo bundleIDs: Set<Topic>? = nil,
        configure: (inout SimulatorConfiguration) throws -> Void = { _ in }
    ) async throws {
        let authority = try TestAuthority()
        let server = try authority.issue()
        authorityPEM = try authority.certificatePEM
        var certificates: [String: TestAuthority.Identity] = [:]
        for name in ["com.example.chat", "com.example.other", "com.exämple"] {
            certificates[name] = try authority.issueClient(userID: name)
        }
        certificates[""] = try authority.issueClient()
        self.certificates = certificates
        let identity = try unsafe SimulatorIdentity(
            certificateChainPEM: server.certificatePEM,
            privateKeyPEM: server.privateKeyPEM.span.bytes
        )
        http2 = try .client(trust: .pem(authorityPEM), alpn: ["h2"])
        deviceContext = try .client(trust: .pem(authorityPEM), alpn: [DeviceFrame.applicationProtocol])
        simulatorLoop = try EventLoop()
        clientLoop = try EventLoop()
        app = try Topic("com.example.chat")
        let (keyID, teamID) = (try KeyID("ABC123DEFG"), try TeamID("DEF123GHIJ"))
        let key = try ThrowawayKeys.first()
        var configuration = SimulatorConfiguration(
            keys: [SigningKey(id: keyID, team: teamID, publicKey: try key.publicKey(), bundleIDs: bundleIDs)]
        )
        (configuration.channelPort, configuration.gatewayPort, configuration.feedbackPort) = (0, 0, 0)
        configuration.validation.clientAuthoritiesPEM = authorityPEM
        configuration.profile = .spec
        configuration.bePatient()
        try configure(&configuration)
        tokens = ProviderTokenSource(key: try ThrowawayKeys.first(), keyID: keyID, teamID: teamID)
        let clock = Clock()
        self.clock = clock
        simulator = try await Simulator.start(
            configuration,
            identity: identity,
            loop: simulatorLoop,
            clock: { clock.seconds.withLock { $0 } },
            onEvent: events.record
        )
    }

    deinit {
        clientLoop.stopAnywhere()
        simulatorLoop.stopAnywhere()
    }

    var now: Int64 { clock.seconds.withLock { $0 } }

    func advance(_ seconds: Int64) { clock.seconds.withLock { $0 += seconds } }

    func wait(for count: Int = 1, _ isWanted: (SimulatorEvent) -> Bool) async {
        while true {
            let all = events.all
            if all.count(where: isWanted) >= count { return }
            _ = await events.first(all.count + 1)
        }
    }

    // MARK: Devices

    func device(
        earlierToken: DeviceToken? = nil,
        of topic: Topic? = nil,
        state: DeviceState = []
    ) async throws -> DeviceConnection {
        try await DeviceConnection.connect(
            host: "127.0.0.1",
            port: simulator.devicePort,
            context: deviceContext,
            loop: clientLoop,
            topic: topic ?? app,
            earlierToken: earlierToken,
            state: state
        )
    }

    // MARK: Channels

    func broadcastClient(managementPort: UInt16? = nil) throws -> BroadcastClient {
        var configuration = APNSClientConfiguration()
        configuration.trust = .pem(authorityPEM)
        configuration.loop = clientLoop
        configuration.clock = { Moment(unixSeconds: Self.start, uptimeSeconds: 0) }
        // No deadline may fire on a starved machine.
        (configuration.answerDeadline, configuration.connectDeadline) = (.seconds(600), .seconds(600))
        return try BroadcastClient(
            push: APNSEndpoint(host: "127.0.0.1", port: simulator.pushPort),
            management: BroadcastEndpoint(host: "127.0.0.1", port: managementPort ?? simulator.channelPort ?? 0),
            credential: .token(tokens),
            configuration: configuration
        )
    }

    func connection(toManagement isManagement: Bool) async throws -> HTTP2ClientConnection {
        return try await .connect(
            host: "127.0.0.1",
            port: isManagement ? simulator.channelPort ?? 0 : simulator.pushPort,
            context: http2,
            loop: clientLoop,
            limits: .patient
        )
    }

    var authorization: [UInt8] {
        get throws { try tokens.token(at: Moment(unixSeconds: Self.start, uptimeSeconds: 0)).authorization }
    }

    var channelEvents: [ChannelEvent] {
        events.all.compactMap { if case .channel(let event) = $0 { event } else { nil } }
    }

    // MARK: The binary interface

    func identity(_ userID: String) throws -> TLSIdentity {
        guard let identity = certificates[userID] else { throw TransportError.connectionClosed }
        return try unsafe TLSIdentity(
            certificateChainPEM: identity.certificatePEM.span.bytes,
            privateKeyPEM: identity.privateKeyPEM.span.bytes,
            password: RawSpan()
        )
    }

    /// A client's side; `nil` shows no certificate.
    func legacyContext(_ userID: String? = "com.example.chat") throws -> TLSContext {
        try .client(trust: .pem(authorityPEM), alpn: [], identity: try userID.map { try identity($0) })
    }

    /// No deadline may fire on a starved machine.
    static var patient: LegacyLimits {
        var limits = LegacyLimits()
        limits.channel = .patient
        limits.channel.idleDeadline = .seconds(600)
        return limits
    }

    func gateway(_ command: LegacyCommand = .frame, as userID: String = "com.example.chat") throws -> LegacyGateway {
        LegacyGateway(
            service: LegacyService(host: "127.0.0.1", port: simulator.gatewayPort ?? 0),
            context: try legacyContext(userID),
            loop: clientLoop,
            command: command,
            limits: Self.patient
        )
    }

    func feedback(as userID: String? = "com.example.chat") async throws -> LegacyFeedback.List {
        await LegacyFeedback(
            service: LegacyService(host: "127.0.0.1", port: simulator.feedbackPort ?? 0),
            context: try legacyContext(userID),
            loop: clientLoop,
            limits: Self.patient
        ).read()
    }

    var legacyEvents: [LegacyEvent] {
        events.all.compactMap { if case .legacy(let event) = $0 { event } else { nil } }
    }
}
