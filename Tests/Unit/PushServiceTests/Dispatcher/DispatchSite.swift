import APNS
import APNSProvider
import CStoreFaults
import Envelope
import Glibc
import HTTP
import Networking
import Platform
import Primitives
import PushStore
import PushStorePattern
import ServiceParts
import TestCertificates
import TestSupport

@testable import APNSSimulator
@testable import PushService

/// A store, a dispatcher and a simulator as APNs, over TLS, with one clock that tests move.
final class DispatchSite: Sendable {
    /// Milliseconds since 1970 and nanoseconds of uptime, as moved.
    final class Clock: Sendable {
        private let start: UInt64
        private let moved = Guarded<UInt64>(0)
        private let setBack = Guarded<UInt64>(0)

        init(startSeconds: Int64) { start = UInt64(startSeconds) * 1_000 }

        var now: Timestamp { Timestamp(milliseconds: start + moved.withLock { $0 }) }
        var seconds: Int64 { Int64(now.milliseconds / 1_000) }
        var uptime: Int64 { Int64(moved.withLock { $0 }) * 1_000_000 }
        func advance(milliseconds: UInt64) { moved.withLock { $0 += milliseconds } }

        /// The wall clock of the service's machine.
        var wall: Timestamp { Timestamp(milliseconds: now.milliseconds - setBack.withLock { $0 }) }
        func setBack(milliseconds: UInt64) { setBack.withLock { $0 = milliseconds } }
    }

    static let bundleID = "com.example.chat"
    static let keyID = "ABC123DEFG"
    static let teamID = "DEF123GHIJ"

    let folder: TemporaryFolder
    let clock: Clock
    let simulatorLoop: EventLoop
    let loop: EventLoop
    let simulator: Simulator
    let events: EventList
    let log = LogLines()
    let tenant: TenantID
    let topic: Topic
    let settings: ServiceSettings
    private let text: String
    /// The endpoint as it stands in the configuration's text.
    private let own: String

    /// The simulator's events; tests can wait for them.
    final class EventList: Sendable {
        private struct State {
            var events: [SimulatorEvent] = []
            var hook: (@Sendable (SimulatorEvent) -> Void)?
        }

        private let state = Guarded(State())

        func record(_ event: SimulatorEvent) {
            let hook = state.withLock { state in
                state.events.append(event)
                return state.hook
            }
            hook?(event)
        }

        func removeAll() { state.withLock { $0.events = [] } }

        /// Sets a hook that runs on the simulator's loop before the answer is sent.
        func setHook(_ hook: @escaping @Sendable (SimulatorEvent) -> Void) { state.withLock { $0.hook = hook } }

        /// Apns-ids of the pushes that passed every check, in order.
        var pushes: [APNSID] {
            state.withLock { $0.events }.compactMap { event in
                switch event {
                case .accepted(let push, _), .injected(_, let push, _): Self.id(push)
                default: nil
                }
            }
        }

        var rejections: [Reason] {
            state.withLock { $0.events }.compactMap { if case .rejected(let reason, _) = $0 { reason } else { nil } }
        }

        private static func id(_ push: ReceivedPush) -> APNSID? {
            push.headers["apns-id"].flatMap { APNSID(text: Array($0).span, acceptsUpperCase: true) }
        }
    }

    final class LogLines: Sendable {
        private let lines = Guarded<[String]>([])
        func write(_ some: [UInt8]) {
            let text = String(decoding: some, as: UTF8.self)
            lines.withLock { $0 += text.split(separator: "\n").map(String.init) }
        }
        func count(_ part: String) -> Int { lines.withLock { $0.count { $0.contains(part) } } }
        var all: [String] { lines.withLock { $0 } }
    }

    init(
        limits: String = "{}",
        keyPEM: String = ThrowawayKeys.firstPEM,
        hasFeedback: Bool = false,
        otherPort: UInt16? = nil,
        configure: (inout SimulatorConfiguration) throws -> Void = { _ in }
    ) async throws {
        folder = try TemporaryFolder()
        // Noon of today, for which the certificates are valid: tests move it by minutes, and count by the day.
        let now = Int64(time(nil))
        let clock = Clock(startSeconds: now - now % 86_400 + 43_200)
        self.clock = clock
        let authority = try TestAuthority()
        let server = try authority.issue()
        let identity = try unsafe SimulatorIdentity(
            certificateChainPEM: server.certificatePEM,
            privateKeyPEM: server.privateKeyPEM.span.bytes
        )
        simulatorLoop = try EventLoop()
        loop = try EventLoop()
        let key = SigningKey(
            id: try KeyID(Self.keyID),
            team: try TeamID(Self.teamID),
            publicKey: try ThrowawayKeys.first().publicKey()
        )
        var configuration = SimulatorConfiguration(keys: [key])
        configuration.profile = .spec
        // No deadline may fire on a starved machine.
        configuration.connections.handshakeSecondsMax = 600
        configuration.connections.requestSecondsMax = 600
        configuration.connections.responseSecondsMax = 600
        if hasFeedback {
            configuration.feedbackPort = 0
            configuration.validation.clientAuthoritiesPEM = try authority.certificatePEM
        }
        try configure(&configuration)
        let events = EventList()
        self.events = events
        simulator = try await Simulator.start(
            configuration,
            identity: identity,
            loop: simulatorLoop,
            clock: { clock.seconds },
            onEvent: { events.record($0) }
        )
        let authorities = try folder.makeFile("ca.pem", String(decoding: authority.certificatePEM, as: UTF8.self))
        let keyFile = try folder.makeFile("key.p8", keyPEM)
        var credential = #"{"key-file": "\#(keyFile)", "key-id": "\#(Self.keyID)", "team-id": "\#(Self.teamID)"}"#
        if let port = simulator.feedbackPort {
            let client = try authority.issueClient(userID: Self.bundleID, extensions: [AppleLikeCertificate.sandbox()])
            let pem = String(decoding: client.certificatePEM + client.privateKeyPEM, as: UTF8.self)
            let file = try folder.makeFile("client.pem", pem)
            credential = #"{"certificate-file": "\#(file)", "feedback": {"host": "127.0.0.1", "port": \#(port)}}"#
        }
        tenant = try TenantID("acme")
        topic = try Topic(Self.bundleID)
        own = #""port": \#(otherPort ?? simulator.pushPort)"#
        let endpoint = #"{"host": "127.0.0.1", \#(own), "authorities-file": "\#(authorities)"}"#
        text = ExampleConfiguration.text
            .replacing(
                #""endpoint": {"host": "localhost", "port": 2197, "authorities-file": "/etc/sealedpush/ca.pem"}"#,
                with: #""endpoint": \#(endpoint)"#
            )
            .replacing(
                #"{"certificate-file": "/etc/sealedpush/b.p12", "password-file": "/etc/sealedpush/b.pw"}"#,
                with: credential
            )
            .replacing("/etc/sealedpush/a.p8", with: keyFile)
        settings = try Self.settings(text, limits)
    }

    private static func settings(_ text: String, _ limits: String) throws -> ServiceSettings {
        let own = #""limits": {"recipients": 500, "in-flight": 2000}"#
        let changed = text.replacing(own, with: #""limits": \#(limits)"#)
        return ServiceSettings(try ServiceConfiguration(file: Array(changed.utf8)))
    }

    func settings(limits: String) throws -> ServiceSettings { try Self.settings(text, limits) }

    deinit {
        loop.stopAnywhere()
        simulatorLoop.stopAnywhere()
    }

    // MARK: The service's parts

    func openStore(fileSystem: String? = nil) throws -> SQLiteStore {
        try SQLiteStore(
            path: folder.path("store.sqlite"),
            key: try StorePattern.key(),
            settings: StoreSettings(fileSystem: fileSystem),
            now: clock.now
        )
    }

    func dispatcher(
        _ store: SQLiteStore,
        loop: EventLoop? = nil,
        shards: ShardTenure? = nil,
        wakers: DispatchWakers = DispatchWakers(),
        configure: (inout APNSClientConfiguration) -> Void = { _ in }
    ) throws -> Dispatcher {
        let (clock, log) = (clock, log)
        let context = ServiceContext(
            loop: loop ?? self.loop,
            store: store,
            clock: ServiceClock.steady(wall: { clock.wall }, uptime: { clock.uptime }),
            log: ServiceLog { log.write($0) },
            collapseKey: CollapseKey(SecretBytes(byteCount: 32) { _ in }),
            settings: settings,
            shards: shards ?? ShardTenure(store.openingReport.leases)
        )
        return Dispatcher(context, wakers: wakers, jitter: { 0.5 }) { configuration in
            configuration.clock = { Moment(unixSeconds: clock.seconds, uptimeSeconds: clock.uptime / 1_000_000_000) }
            // As above: no deadline may fire on a starved machine.
            (configuration.deadline, configuration.answerDeadline) = (.seconds(600), .seconds(600))
            (configuration.connectDeadline, configuration.pingAfter, configuration.pingDeadline) =
                (.seconds(600), .seconds(600), .seconds(600))
            configure(&configuration)
        }
    }

    /// Starts a dispatcher that knows of an empty queue, and sends to APNs at once what has room.
    ///
    /// - Parameter devices: are registered first.
    func started(_ store: SQLiteStore, for devices: String...) async throws -> Dispatcher {
        let dispatcher = try dispatcher(store)
        try await dispatcher.start(try plan())
        for device in devices { try await register(device, store) }
        await ready(dispatcher)
        try await connect(dispatcher)
        return dispatcher
    }

    /// Sends one push outside the dispatcher: its client then has a connection with room for more than one.
    func connect(_ dispatcher: Dispatcher) async throws {
        let token = try await simulator.enrol(topic)
        let client = await loop.run {
            dispatcher.lanes.entry(tenant: .named("acme"), bundleID: .named(Self.bundleID), environment: .sandbox)?
                .client
        }
        guard let client else { return }
        await until {
            client.want(1)
            return client.room == .open(1)
        }
        let push = PushNotification(
            id: StorePattern.apnsID(1_000_000),
            deviceToken: token,
            topic: topic,
            payload: Array(#"{"aps":{"alert":"new"}}"#.utf8)
        )
        _ = try await client.send(push)
        events.removeAll()
    }

    /// Waits until the queue of before the start is known to be empty, and no further read is planned.
    func ready(_ dispatcher: Dispatcher) async {
        let end = Timestamp(milliseconds: .max)
        await until { dispatcher.callsUnderWay == 0 && dispatcher.queued.allSatisfy { !$0.wantsLook(now: end) } }
    }

    /// Makes the dispatcher hold nothing in memory: what its device has no room for goes back to the queue. Call it
    /// before the start.
    func holdNothing(_ dispatcher: Dispatcher) async {
        let limits = settings.limits
        var bounds = DispatchFlow.Bounds()
        bounds.heldCountMax = 0
        await loop.run { [bounds] in
            dispatcher.flow = DispatchFlow(
                inFlightMax: limits.inFlightCountMax,
                bucket: DeviceBucket(limits),
                bounds: bounds
            )
        }
    }

    /// Credentials of the files as they are now, with another port for the endpoint.
    func plan(port: UInt16? = nil) throws -> CredentialPlan {
        var reader = CredentialReader(unixSeconds: clock.seconds)
        var plan = CredentialPlan()
        var settings = settings
        if let port { settings = try Self.settings(text.replacing(own, with: "\"port\": \(port)"), "{}") }
        for tenant in settings.configuration.tenants {
            for app in tenant.apps { plan.add(app, of: tenant.id, try reader.material(of: app)) }
        }
        return plan
    }

    /// Waits first: a test may read a result from the disk before the dispatcher knows of it.
    func advance(seconds: Double, _ dispatcher: Dispatcher) async {
        await until { dispatcher.callsUnderWay == 0 }
        clock.advance(milliseconds: UInt64(seconds * 1_000))
        await wake(dispatcher)
    }

    func wake(_ dispatcher: Dispatcher) async {
        await loop.run {
            dispatcher.keepUp()
            dispatcher.wake(Set(PushStore.Lane.allCases))
        }
    }

    /// Makes the simulator inject a fault into the next `count` requests; into all without it.
    func inject(_ fault: InjectedFault, count: Int? = nil) async {
        let core = simulator.core
        await core.loop.run {
            var rule = InjectionRule(fault)
            rule.count = count
            core.value.faults.add(rule)
        }
    }

    // MARK: Devices and notifications

    @discardableResult
    func register(
        _ name: String,
        _ store: SQLiteStore,
        token: DeviceToken? = nil,
        secondsAgo: Int64 = 7_200
    ) async throws -> DeviceToken {
        let own: DeviceToken
        if let token { own = token } else { own = try await simulator.enrol(topic) }
        let registration = Device.Registration(
            key: DeviceKey(tenant: tenant, device: try DeviceID(name)),
            topic: topic,
            environment: .sandbox,
            token: own,
            bundle: [],
            region: "CH"
        )
        _ = try await store.put([registration], now: clock.now.advanced(by: .seconds(-secondsAgo)))
        return own
    }

    func lookup(_ name: String, _ store: SQLiteStore) async throws -> DeviceLookup? {
        try await store.devices([DeviceKey(tenant: tenant, device: try DeviceID(name))]).first
    }

    func entry(
        _ number: UInt64,
        to device: String,
        lane: PushStore.Lane = .normal,
        pushType: PushType = .alert
    ) throws -> NewEntry {
        NewEntry(
            device: try DeviceID(device),
            topic: try topic.appendingSuffix(of: pushType),
            apnsID: StorePattern.apnsID(number),
            collapseID: try CollapseID("c\(number)"),
            lane: lane,
            pushType: pushType,
            priority: lane == .background ? .powerAware : .immediate,
            deadline: clock.now.advanced(by: .seconds(86_400)),
            payload: Array(#"{"aps":{"alert":"new","mutable-content":1}}"#.utf8),
            trace: Trace(bytes: Array(StorePattern.payload(number, byteCount: 16)))
        )
    }

    /// - Parameter relay: that stores them; nil: the store's opener, which gets no hint.
    func enqueue(
        _ entries: [NewEntry],
        _ store: SQLiteStore,
        from relay: RelayID? = nil
    ) async throws -> [EntryID] {
        var ids: [EntryID] = []
        for start in stride(from: 0, to: entries.count, by: 1_000) {
            let part = Array(entries[start..<min(start + 1_000, entries.count)])
            let request = try OutboxRequest(tenant: tenant, idempotency: nil, entries: part)
            let result = try await store.enqueue([request], from: relay ?? store.opener.relay, now: clock.wall)
            guard case .stored(let stored)? = result.first else {
                continue
            }
            ids += stored
        }
        return ids
    }

    func states(_ ids: [EntryID], _ store: SQLiteStore) async throws -> [EntryState?] {
        try await store.entries(ids, tenant: tenant).map { $0?.state }
    }

    /// Polls without a deadline: each poll is a turn of the store's thread.
    func until(_ ids: [EntryID], _ store: SQLiteStore, _ isReached: (EntryState) -> Bool) async throws {
        while try await !states(ids, store).allSatisfy({ $0.map(isReached) ?? false }) { await Task.yield() }
    }

    func until(_ isReached: @escaping @Sendable () -> Bool) async {
        while await !loop.run(isReached) { await Task.yield() }
    }
}
