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

final class Site: Sendable {
    static let start: Int64 = 2_051_222_400

    let simulatorLoop: EventLoop
    let clientLoop: EventLoop
    let simulator: Simulator
    /// All events but those of connections.
    let events: Recorder<SimulatorEvent>
    let connectionEvents: Recorder<ConnectionEvent>
    let tokens: ProviderTokenSource
    let topic: Topic
    let authorityPEM: [UInt8]
    let pushContext: TLSContext
    let deviceContext: TLSContext
    private let clock: Clock

    /// The clock of simulator and provider: 2035, moved by hand.
    final class Clock: Sendable {
        let seconds = Guarded(Site.start)
        var now: Int64 { seconds.withLock { $0 } }
        func advance(_ by: Int64) { seconds.withLock { $0 += by } }
    }

    let deviceAuthority: DeviceAuthority

    init(
        startsWithOneStream: Bool = true,
        helloDeadline: Duration = .seconds(600),
        rules: ConnectionRules = ConnectionRules(),
        recording: RecordingFile? = nil,
        deviceAuthority: DeviceAuthority? = nil,
        tokenFile: TokenFile? = nil,
        configure: (inout SimulatorConfiguration) throws -> Void = { _ in }
    ) async throws {
        self.deviceAuthority = try deviceAuthority ?? DeviceAuthority()
        let authority = try TestAuthority()
        let server = try authority.issue()
        let identity = try unsafe SimulatorIdentity(
            certificateChainPEM: server.certificatePEM,
            privateKeyPEM: server.privateKeyPEM.span.bytes,
            deviceAuthorityPEM: self.deviceAuthority.certificatePEM
        )
        authorityPEM = try authority.certificatePEM
        pushContext = try .client(trust: .pem(authority.certificatePEM), alpn: ["h2"])
        deviceContext = try .client(trust: .pem(authority.certificatePEM), alpn: [DeviceFrame.applicationProtocol])
        simulatorLoop = try EventLoop()
        clientLoop = try EventLoop()
        topic = try Topic("com.example.chat")
        let (keyID, teamID) = (try KeyID("ABC123DEFG"), try TeamID("DEF123GHIJ"))
        var configuration = SimulatorConfiguration(
            keys: [SigningKey(id: keyID, team: teamID, publicKey: try ThrowawayKeys.first().publicKey())])
        configuration.startsWithOneStream = startsWithOneStream
        configuration.profile = .spec
        configuration.connections = rules
        configuration.bePatient()
        configuration.helloDeadline = helloDeadline
        try configure(&configuration)
        tokens = ProviderTokenSource(key: try ThrowawayKeys.first(), keyID: keyID, teamID: teamID)
        let (clock, events, connectionEvents) = (Clock(), Recorder<SimulatorEvent>(), Recorder<ConnectionEvent>())
        self.clock = clock
        self.events = events
        self.connectionEvents = connectionEvents
        simulator = try await Simulator.start(
            configuration,
            identity: identity,
            loop: simulatorLoop,
            clock: { clock.now },
            recording: recording,
            tokenFile: tokenFile,
            onEvent: { event in
                if case .connection(let event) = event {
                    connectionEvents.record(event)
                } else {
                    events.record(event)
                }
            }
        )
    }

    deinit {
        clientLoop.stopAnywhere()
        simulatorLoop.stopAnywhere()
    }

    func advance(_ seconds: Int64) { clock.advance(seconds) }

    func client(
        port: UInt16? = nil,
        tokens: ProviderTokenSource? = nil,
        observer: (any APNSClientObserver)? = nil
    ) throws -> APNSClient {
        let clock = clock
        var configuration = APNSClientConfiguration()
        configuration.trust = .pem(authorityPEM)
        configuration.loop = clientLoop
        configuration.clock = { Moment(unixSeconds: clock.now, uptimeSeconds: clock.now - Self.start) }
        configuration.observer = observer
        // No deadline may fire on a starved machine.
        (configuration.deadline, configuration.answerDeadline) = (.seconds(600), .seconds(600))
        (configuration.connectDeadline, configuration.pingAfter, configuration.pingDeadline) =
            (.seconds(600), .seconds(600), .seconds(600))
        return try APNSClient(
            endpoint: APNSEndpoint(host: "127.0.0.1", port: port ?? simulator.pushPort),
            credential: .token(tokens ?? self.tokens),
            configuration: configuration
        )
    }

    func device(
        port: UInt16? = nil,
        topic: Topic? = nil,
        earlierToken: DeviceToken? = nil,
        arrival: DeviceHello.Arrival = .same,
        state: DeviceState = [],
        context: TLSContext? = nil
    ) async throws(DeviceLinkError) -> DeviceConnection {
        try await DeviceConnection.connect(
            host: "127.0.0.1",
            port: port ?? simulator.devicePort,
            context: context ?? deviceContext,
            loop: clientLoop,
            topic: topic ?? self.topic,
            earlierToken: earlierToken,
            arrival: arrival,
            state: state
        )
    }

    func context(of identity: TLSIdentity) throws -> TLSContext {
        try .client(trust: .pem(authorityPEM), alpn: [DeviceFrame.applicationProtocol], identity: identity)
    }

    func rawConnection() async throws -> HTTP2ClientConnection {
        try await .connect(
            host: "127.0.0.1",
            port: simulator.pushPort,
            context: pushContext,
            loop: clientLoop,
            limits: .patient
        )
    }

    func notification(_ number: UInt8, to token: DeviceToken) -> PushNotification {
        PushNotification(
            id: APNSID(randomBytes: [UInt8](repeating: number, count: 16)),
            deviceToken: token,
            topic: topic,
            priority: .immediate,
            payload: Array(#"{"aps":{"alert":"\#(number)"}}"#.utf8)
        )
    }

    var deliveries: [DeliveryEvent] {
        events.all.compactMap { event in
            if case .delivery(let delivery) = event { delivery } else { nil }
        }
    }
}

extension SimulatorConfiguration {
    /// Raises the deadlines, so that none fires on a starved machine.
    mutating func bePatient() {
        helloDeadline = .seconds(600)
        (connections.handshakeSecondsMax, connections.requestSecondsMax) = (600, 600)
        (connections.responseSecondsMax, connections.drainSecondsMax) = (600, 600)
    }
}

extension Recorder: APNSClientObserver where Element == APNSClientEvent {
    var streamLimits: [Int] {
        all.compactMap { event in
            if case .streamLimit(_, let count) = event { count } else { nil }
        }
    }
}
