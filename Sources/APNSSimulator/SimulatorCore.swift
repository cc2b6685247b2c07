import APNS
import DeviceLink
import HTTP
import Networking
import Primitives

/// Shared state of the simulator's connections. On the loop; performs the directory's effects.
final class SimulatorCore {
    private(set) var configuration: SimulatorConfiguration
    private let identity: SimulatorIdentity
    let keys: [KeyID: SigningKey]
    let connections: ConnectionTable
    var faults: InjectedFaults
    /// Events for later queries; nil without a control port.
    var journal: EventJournal?
    /// Weak, because a released server closes.
    weak var pushServer: HTTP2Server?
    weak var channelServer: HTTP2Server?
    private(set) var clockOffset: Int64 = 0
    private let clock: @Sendable () -> Int64
    let onEvent: (@Sendable (SimulatorEvent) -> Void)?
    let recording: RecordingFile?
    private let tokenFile: TokenFile?
    var random = SystemRandom()
    var uniqueIDs = UniqueIDs()
    var directory: DeviceDirectory
    var ledger = TokenLedger()
    private var alarm = CoreAlarm()
    private var listener: TLSListener?
    private(set) var sessions: [DeviceDirectory.ConnectionID: DeviceSession] = [:]
    private var lastConnectionID = 0
    private(set) lazy var channels = ChannelService(self)
    private(set) lazy var legacy = LegacyInterface(self)

    init(
        _ configuration: SimulatorConfiguration,
        identity: SimulatorIdentity,
        clock: @escaping @Sendable () -> Int64,
        onEvent: (@Sendable (SimulatorEvent) -> Void)?,
        recording: RecordingFile? = nil,
        tokenFile: TokenFile? = nil
    ) {
        self.configuration = configuration
        self.identity = identity
        self.clock = clock
        self.onEvent = onEvent
        self.recording = recording
        self.tokenFile = tokenFile
        faults = configuration.faults
        journal = configuration.control.isOn ? EventJournal(countMax: configuration.control.journalCountMax) : nil
        keys = Dictionary(configuration.keys.map { ($0.id, $0) }) { _, last in last }
        connections = ConnectionTable(
            configuration.connections,
            onEvent: onEvent.map { onEvent in { onEvent(.connection($0)) } }
        )
        directory = DeviceDirectory(
            environment: configuration.environment,
            mint: tokenFile?.mint ?? configuration.devices.mint
                ?? DeviceTokenMint(tokenByteCount: configuration.devices.tokenByteCount),
            deviceCountMax: configuration.devices.countMax,
            bundleIDs: configuration.keys.reduce(into: []) { $0.formUnion($1.bundleIDs ?? []) },
            delivery: configuration.delivery
        )
        if let tokenFile { directory.restore(tokenFile.records) }
    }

    /// - Throws: TLS setup failures; nothing changes then.
    func adopt(_ configuration: SimulatorConfiguration) throws(TLSError) {
        let pushContext = try identity.push(configuration)
        let legacyContext = try identity.legacy(configuration)
        self.configuration = configuration
        pushServer?.replace(configuration.serverLimits, context: pushContext)
        channelServer?.replace(configuration.channelServerLimits, context: pushContext)
        listener?.connectionCountMax = configuration.devices.countMax
        connections.adopt(configuration.connections)
        journal?.countMax = configuration.control.journalCountMax
        channels.adopt(configuration.channels)
        legacy.adoptSettings(legacyContext)
        perform(
            directory.adopt(
                deviceCountMax: configuration.devices.countMax,
                configuration.delivery,
                at: nowInMilliseconds
            )
        )
    }

    /// Persists tokens before a client learns of them.
    func keepTokens() {
        guard let tokenFile else { return }
        tokenFile.append(directory.takeRecords())
    }

    func closeTokenFile() -> TokenFileError? { tokenFile?.close() }

    func listen(_ context: TLSContext, loop: EventLoop) throws(TransportError) -> UInt16 {
        var limits = TLSChannelLimits()
        // Phones stay connected for days; the hello has its own deadline.
        limits.idleDeadline = nil
        let listener = try TLSListener(
            address: configuration.address,
            port: configuration.devicePort,
            context: context,
            loop: loop,
            limits: limits,
            connectionCountMax: configuration.devices.countMax
        ) { [self] channel in
            lastConnectionID += 1
            let session = DeviceSession(id: lastConnectionID, channel: channel, core: self)
            sessions[session.id] = session
            return session
        }
        self.listener = listener
        alarm.loop = loop
        return listener.port
    }

    func close() {
        listener?.close()
        listener = nil
        alarm.cancel()
        for session in sessions.values { session.close() }
        legacy.close()
    }

    func forget(_ session: DeviceSession) { sessions[session.id] = nil }

    /// Seconds since 1970, moved by `clockOffset`.
    var now: Int64 { clock() + clockOffset }

    /// `now` in milliseconds, with the resolution of seconds.
    var nowInMilliseconds: Int64 { now * 1000 }

    func moveClock(by seconds: Int64) {
        clockOffset += seconds
        wake()
    }

    func wake() { perform(directory.wake(at: nowInMilliseconds)) }

    var isObserved: Bool { onEvent != nil || journal != nil }

    func notify(_ event: SimulatorEvent) {
        journal?.append(event, unixSeconds: now)
        guard let onEvent else { return }
        onEvent(event)
        for lint in event.lints { onEvent(lint) }
    }

    func perform(_ effects: [DeviceDirectory.Effect]) {
        keepTokens()
        defer { setAlarm() }
        for effect in effects {
            switch effect {
            case .send(let push, let id): sessions[id]?.send(.push(push))
            case .close(let id): sessions[id]?.close()
            case .happened(let event): if isObserved { notify(.delivery(event)) }
            case .appIsGone(let token, let bundleID, let time):
                legacy.deliveryDidFail(token, bundleID)
                channels.appDidLeave(number(of: token), app: bundleID)
                notify(.appIsGone(token, bundleID: bundleID, atMilliseconds: time))
            }
        }
    }

    private func setAlarm() {
        guard let next = directory.nextWakeUp, alarm.isLate(for: next) else { return }
        alarm.set(for: next, now: nowInMilliseconds) { [weak self] in
            self?.alarm.rang()
            self?.wake()
        }
    }
}
