import APNS
import DeviceLink
import Primitives
import Transport

/// What the simulator's connections share. Lives on the loop; performs what the directory decides.
final class SimulatorCore {
    var configuration: SimulatorConfiguration
    let keys: [KeyID: SigningKey]
    let connections: ConnectionTable
    /// Which pushes go wrong on purpose.
    var faults: InjectedFaults
    /// What came, for whoever asks later; nil where nobody can.
    var journal: EventJournal?
    /// To the provider connections, which are the server's.
    var onGoAway: ((UInt32, [UInt8]) -> Void)?
    /// Seconds that somebody has moved the clock by.
    var clockOffset: Int64 = 0
    private let clock: @Sendable () -> Int64
    private let onEvent: (@Sendable (SimulatorEvent) -> Void)?
    let recording: RecordingFile?
    private var random = SystemRandom()
    var directory: DeviceDirectory
    var ledger = TokenLedger()
    /// Whether one more push to this token is one too many; the clock's seconds beside it.
    var isTooFrequent: (DeviceToken, Int64) -> Bool = { _, _ in false }
    private var listener: TLSListener?
    private var sessions: [DeviceDirectory.ConnectionID: DeviceSession] = [:]
    private var lastConnectionID = 0
    private(set) lazy var channels = ChannelService(self)
    private(set) lazy var legacy = LegacyInterface(self)

    init(
        _ configuration: SimulatorConfiguration,
        clock: @escaping @Sendable () -> Int64,
        onEvent: (@Sendable (SimulatorEvent) -> Void)?,
        recording: RecordingFile? = nil
    ) {
        self.configuration = configuration
        self.clock = clock
        self.onEvent = onEvent
        self.recording = recording
        faults = configuration.faults
        journal = configuration.control.isOn ? EventJournal(countMax: configuration.control.journalCountMax) : nil
        keys = Dictionary(configuration.keys.map { ($0.id, $0) }) { _, last in last }
        connections = ConnectionTable(
            configuration.connections,
            onEvent: onEvent.map { onEvent in { onEvent(.connection($0)) } }
        )
        directory = DeviceDirectory(deviceCountMax: configuration.deviceCountMax)
    }

    func listen(_ context: TLSContext, loop: EventLoop) throws(TransportError) -> UInt16 {
        var limits = TLSChannelLimits()
        // A phone waits for days; who has not said hello gets its own deadline.
        limits.idleDeadline = nil
        let listener = try TLSListener(
            address: configuration.address,
            port: configuration.devicePort,
            context: context,
            loop: loop,
            limits: limits
        ) { [self] channel in
            lastConnectionID += 1
            let session = DeviceSession(id: lastConnectionID, channel: channel, core: self)
            sessions[session.id] = session
            return session
        }
        self.listener = listener
        return listener.port
    }

    func close() {
        listener?.close()
        listener = nil
        for session in sessions.values { session.close() }
        legacy.close()
    }

    // MARK: Pushes

    /// Whether somebody who connects to the push port may stay.
    func admitProvider(_ address: String) -> Bool {
        connections.admit(address, now: clock())
    }

    /// Seconds since 1970, moved by `clockOffset`.
    var now: Int64 { clock() + clockOffset }

    /// Checks one request; the reason when it was not accepted.
    func handle(
        _ request: HTTP2ServerRequest,
        _ responder: HTTP2Responder,
        _ validator: inout RequestValidator,
        _ injector: FaultInjector?
    ) -> Reason? {
        let now = now
        let verdict = validator.validate(
            request.headers,
            payload: request.body,
            payloadByteCount: request.bodyByteCount,
            now: now,
            ledger: &ledger,
            makeID: { APNSID(randomBytes: random.bytes(count: 16)) },
            registration: { directory.registration(of: $0) },
            isTooFrequent: { isTooFrequent($0, now) }
        )
        // Copying every byte is for those who look at it.
        let received = isObserved ? ReceivedPush(request, answeredID: verdict.answeredID) : nil
        switch verdict.result {
        case .success(let push):
            // Looked up for those who ask only: it costs every push.
            let isAsked = received != nil || !faults.isIdle
            let device = isAsked ? directory.number(of: push.deviceToken) ?? 0 : 0
            if !faults.isIdle, let injector, let fault = faults.next(device: device, topic: push.topic) {
                record(request, .injected(fault), injector, verdict.answeredID)
                if let received { tell(.injected(fault, received, device: device)) }
                return injector.carryOut(fault, on: injected(push, request, responder, verdict.answeredID))
            }
            injector?.note(responder.streamID, isProcessed: true)
            record(request, .answered(status: 200, nil), injector, verdict.answeredID)
            accept(verdict.answeredID, responder)
            if let received {
                tell(.accepted(received, device: device))
                for lint in Lint.all(of: push, headers: request.headers, payload: request.body) {
                    tell(.lint(lint, device: device))
                }
            }
            guard !push.isDropped else { return nil }
            perform(directory.accept(push.delivery(payload: request.body), for: push.deviceToken, now: now))
            return nil
        case .failure(let rejected):
            injector?.note(responder.streamID, isProcessed: true)
            record(request, .answered(status: rejected.reason.status, rejected.reason), injector, verdict.answeredID)
            reject(rejected, verdict.answeredID, responder)
            if let received { tell(.rejected(rejected.reason, received)) }
            return rejected.reason
        }
    }

    private func accept(_ answeredID: [UInt8], _ responder: HTTP2Responder) {
        var headers = HeaderBlock()
        headers.append(HeaderName.id, answeredID, indexing: .notIndexed)
        if configuration.environment == .sandbox {
            // The name under which the delivery log knows the push: of the sandbox alone.
            headers.append(HeaderName.uniqueID, freshID().text, indexing: .notIndexed)
        }
        responder.respond(status: 200, headers: headers)
    }

    private func reject(_ rejected: Rejected, _ answeredID: [UInt8], _ responder: HTTP2Responder) {
        var headers = HeaderBlock()
        headers.append(HeaderName.contentType, "application/json")
        headers.append(HeaderName.id, answeredID, indexing: .notIndexed)
        responder.respond(status: rejected.reason.status, headers: headers, body: rejected.body.json)
    }

    /// What can still become of a push that goes wrong on purpose.
    private func injected(
        _ push: AcceptedPush,
        _ request: HTTP2ServerRequest,
        _ responder: HTTP2Responder,
        _ answeredID: [UInt8]
    ) -> InjectedPush {
        InjectedPush(
            responder: responder,
            accept: { [self] in accept(answeredID, responder) },
            reject: { [self] reason in
                let timestamp = reason.hasTimestamp ? now * 1000 : nil
                reject(Rejected(reason, timestampMilliseconds: timestamp), answeredID, responder)
            },
            deliver: { [self] in
                perform(directory.accept(push.delivery(payload: request.body), for: push.deviceToken, now: now))
            }
        )
    }

    private func record(
        _ request: HTTP2ServerRequest,
        _ outcome: RecordedExchange.Outcome,
        _ injector: FaultInjector?,
        _ answeredID: [UInt8]
    ) {
        recording?.append(
            request,
            outcome: outcome,
            connection: injector?.connectionNumber ?? 0,
            unixSeconds: now,
            answeredID: answeredID,
            deviceNumber: { directory.number(of: $0) }
        )
    }

    private var isObserved: Bool { onEvent != nil || journal != nil }

    private func tell(_ event: SimulatorEvent) {
        journal?.append(event, unixSeconds: now)
        onEvent?(event)
    }

    func unregister(_ token: DeviceToken, isExpired: Bool) {
        if let app = directory.registration(of: token)?.bundleID { channels.appDidLeave(number(of: token), app: app) }
        directory.unregister(token, atMilliseconds: now * 1000, isExpired: isExpired)
    }

    /// What the certificate of a provider's new connection means for it.
    func verdict(on connection: HTTP2ServerConnection) -> CertificateVerdict {
        // Nobody is asked, and nothing is to be looked at.
        guard configuration.validation.clientAuthoritiesPEM != nil else { return .absent }
        return CertificateVerdict(
            connection.peerCertificate,
            isVerified: connection.isPeerVerified,
            environment: configuration.environment,
            rules: configuration.validation
        )
    }

    // MARK: For channels and the binary interface

    func randomBytes(count: Int) -> [UInt8] { random.bytes(count: count) }

    func freshID() -> APNSID { APNSID(randomBytes: random.bytes(count: 16)) }

    func registration(of token: DeviceToken) -> RequestValidator.Registration? { directory.registration(of: token) }

    /// Our own name for the device, for events; 0: for none.
    func number(of token: DeviceToken) -> Int { directory.number(of: token) ?? 0 }

    /// A push that somebody else has checked.
    func deliver(_ push: DevicePush, to token: DeviceToken) {
        perform(directory.accept(push, for: token, now: now))
    }

    func send(_ frame: DeviceFrame, to connection: DeviceDirectory.ConnectionID) { sessions[connection]?.send(frame) }

    func report(_ event: SimulatorEvent) { tell(event) }

    // MARK: Devices

    func didReceiveHello(_ session: DeviceSession, topic: Topic, earlierToken: DeviceToken?) {
        do throws(DeviceRefused) {
            let (token, effects) = try directory.connect(
                session.id,
                bundleID: topic,
                earlierToken: earlierToken,
                freshToken: freshToken(),
                now: now
            )
            session.send(.welcome(token))
            perform(effects)
            channels.deviceDidConnect(number(of: token), on: session.id)
        } catch {
            session.send(.refused(error.refusal))
            session.close()
            tell(.deviceFailed(.refused(error.refusal)))
        }
    }

    func didReceiveAcknowledgement(_ session: DeviceSession, _ id: APNSID) {
        let effects = directory.acknowledge(id, from: session.id, now: now)
        guard effects.isEmpty else { return perform(effects) }
        // What was no push to this device alone may be a broadcast.
        channels.didReceiveAcknowledgement(id, from: session.id)
    }

    func didClose(_ session: DeviceSession, _ error: DeviceLinkError?) {
        sessions[session.id] = nil
        if let error { tell(.deviceFailed(error)) }
        perform(directory.disconnect(session.id, now: now))
        channels.deviceDidDisconnect(session.id)
    }

    func freshToken() -> DeviceToken {
        do throws(APNSError) {
            return try DeviceToken(bytes: random.bytes(count: 32))
        } catch {
            preconditionFailure("32 bytes are a device token")
        }
    }

    private func perform(_ effects: [DeviceDirectory.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let push, let id): sessions[id]?.send(.push(push))
            case .close(let id): sessions[id]?.close()
            case .happened(let event): tell(.delivery(event))
            }
        }
    }
}
