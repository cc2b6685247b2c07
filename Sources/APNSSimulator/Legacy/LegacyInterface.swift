import APNS
import DeviceLink
import Networking

/// Gateway and feedback service. Used on the loop.
final class LegacyInterface {
    private unowned let core: SimulatorCore
    private(set) var feedback: FeedbackList
    private var injected: [LegacyStatus] = []
    private var listeners: [TLSListener] = []
    private var sessions: [ObjectIdentifier: GatewaySession] = [:]
    private var visits: [ObjectIdentifier: FeedbackSession] = [:]

    init(_ core: SimulatorCore) {
        self.core = core
        feedback = FeedbackList(countMax: core.configuration.legacy.feedbackCountMax)
    }

    private var settings: LegacySettings { core.configuration.legacy }

    private var limits: TLSChannelLimits {
        var limits = TLSChannelLimits()
        limits.idleDeadline = settings.idle
        limits.closeDeadline = settings.drain ?? .seconds(Int64(1) << 32)
        return limits
    }

    /// `context` is for new connections.
    func adoptSettings(_ context: TLSContext?) {
        feedback.countMax = settings.feedbackCountMax
        for listener in listeners {
            listener.limits = limits
            listener.connectionCountMax = settings.connectionCountMax
            if let context { listener.replaceContext(context) }
        }
    }

    struct Ports {
        var gateway: UInt16?
        var feedback: UInt16?
    }

    /// - Parameter context: `nil` without known authorities.
    /// - Throws: `.addressInUse` with the port, `.tls(.authorityUnreadable)` without `context`, among others.
    func listen(_ context: TLSContext?, loop: EventLoop) throws(TransportError) -> Ports {
        var ports = Ports()
        let configuration = core.configuration
        guard configuration.gatewayPort != nil || configuration.feedbackPort != nil else { return ports }
        guard let context else { throw .tls(.authorityUnreadable) }
        if let port = configuration.gatewayPort {
            ports.gateway = try listen(port, context, loop) { [core] channel in
                let session = GatewaySession(channel, core)
                core.legacy.sessions[ObjectIdentifier(session)] = session
                return session
            }
        }
        if let port = configuration.feedbackPort {
            ports.feedback = try listen(port, context, loop) { [core] channel in
                let visit = FeedbackSession(channel, core)
                core.legacy.visits[ObjectIdentifier(visit)] = visit
                return visit
            }
        }
        return ports
    }

    private func listen(
        _ port: UInt16,
        _ context: TLSContext,
        _ loop: EventLoop,
        _ make: @escaping (TLSChannel) -> any TLSChannelDelegate
    ) throws(TransportError) -> UInt16 {
        let listener = try TLSListener(
            address: core.configuration.address,
            port: port,
            context: context,
            loop: loop,
            limits: limits,
            connectionCountMax: settings.connectionCountMax,
            makeDelegate: make
        )
        listeners.append(listener)
        return listener.port
    }

    func close() {
        for listener in listeners { listener.close() }
        listeners = []
        shutDown()
        for visit in visits.values { visit.close() }
    }

    /// Ends every gateway connection as for maintenance: status 10.
    func shutDown() {
        for session in sessions.values { session.shutDown() }
    }

    func didClose(_ session: GatewaySession) { sessions[ObjectIdentifier(session)] = nil }

    func didClose(_ visit: FeedbackSession) { visits[ObjectIdentifier(visit)] = nil }

    func refuseNext(_ status: LegacyStatus) { injected.append(status) }

    /// Error of a well-formed notification, if any.
    func judge(
        _ notification: LegacyNotification,
        _ command: LegacyCommand,
        _ app: LegacyTopic
    ) -> LegacyStatus? {
        let topic: Topic
        switch app.result {
        case .success(let known): topic = known
        case .failure(let missing): return missing.status
        }
        guard notification.deviceToken.bytes.count == core.directory.tokenByteCount else { return .invalidTokenSize }
        // In the interface's time, a certificate for calls had a bundle id with `.voip`.
        guard let registration = core.registration(of: notification.deviceToken), registration.bundleID == topic,
            registration.kind?.takes(.alert) ?? true
        else { return .invalidToken }
        if settings.unreadablePayloadStatus != 0, PayloadRules.isUnreadable(notification.payload) {
            return LegacyStatus(rawValue: settings.unreadablePayloadStatus)
        }
        if settings.contentAvailableStatus != 0, command == .frame, notification.priority == .immediate,
            notification.isContentAvailableOnly
        {
            return LegacyStatus(rawValue: settings.contentAvailableStatus)
        }
        return injected.isEmpty ? nil : injected.removeFirst()
    }

    func accept(_ notification: LegacyNotification, _ command: LegacyCommand, _ topic: Topic) {
        let (token, now) = (notification.deviceToken, core.now)
        let device = core.number(of: token)
        let byteCount = notification.payload.count
        core.report(.legacy(.accepted(command, device: device, byteCount: byteCount)))
        guard !notification.isExpired(command, at: now) else { return core.report(.legacy(.expired(device: device))) }
        guard core.registration(of: token)?.unregisteredAtMilliseconds == nil else {
            return deliveryDidFail(token, topic)
        }
        core.deliver(notification.push(core.freshID(), topic: topic, command), to: token)
    }

    func deliveryDidFail(_ token: DeviceToken, _ topic: Topic) {
        guard feedback.add(token, topic, at: core.now) else { return }
        core.report(.legacy(.undeliverable(device: core.number(of: token))))
    }

    func didEnd(_ packet: LegacyErrorPacket?) { core.report(.legacy(.ended(packet))) }

    func drainFeedback(_ topic: Topic, countMax: Int) -> [FeedbackTuple] {
        feedback.drain(topic, countMax: countMax)
    }

    func didReadFeedback(_ count: Int) { core.report(.legacy(.feedbackRead(count: count))) }
}
