package import APNS
package import Networking
import Platform

/// Simulated device's connection to the simulator, callable from anywhere.
///
/// One task takes the pushes in order, and acknowledges each once the device has handled it. The simulator keeps others
/// for a later connection.
package final class DeviceConnection: Sendable {
    /// Device's token for senders; kept for the next hello.
    package let deviceToken: DeviceToken
    private let core: LoopBound<DeviceConnectionCore>

    /// Connects, says hello and waits for the welcome.
    ///
    /// - Parameters:
    ///   - host: as in the simulator's certificate.
    ///   - context: a client's, with `DeviceFrame.applicationProtocol` only.
    ///   - earlierToken: from the last welcome.
    ///   - arrival: changes of the app since.
    /// - Throws: `.transport` without a connection, `.refused` by the simulator.
    package static func connect(
        host: String,
        port: UInt16,
        context: TLSContext,
        loop: EventLoop,
        topic: Topic,
        earlierToken: DeviceToken? = nil,
        arrival: DeviceHello.Arrival = .same,
        state: DeviceState = []
    ) async throws(DeviceLinkError) -> DeviceConnection {
        let hello = DeviceHello(topic: topic, earlierToken: earlierToken, arrival: arrival, state: state)
        let core = LoopBound(DeviceConnectionCore(hello), to: loop)
        let result: Result<DeviceToken, DeviceLinkError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.perform {
                    core.value.connect(host: host, port: port, context: context, loop: loop) {
                        continuation.resume(returning: $0)
                    }
                }
            }
        } onCancel: {
            loop.perform { core.value.fail(.transport(.cancelled)) }
        }
        return DeviceConnection(deviceToken: try result.get(), core: core)
    }

    private init(deviceToken: DeviceToken, core: LoopBound<DeviceConnectionCore>) {
        self.deviceToken = deviceToken
        self.core = core
    }

    deinit {
        let core = core
        core.loop.perform { core.value.close() }
    }

    /// Takes the next push; `nil` after an orderly end. One caller at a time.
    ///
    /// - Throws: the connection's error; `.transport(.cancelled)`, which also ends it, for a cancelled task.
    package func next() async throws(DeviceLinkError) -> DevicePush? {
        let core = core
        let result: Result<DevicePush?, DeviceLinkError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                core.loop.perform { core.value.next { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            core.loop.perform { core.value.fail(.transport(.cancelled)) }
        }
        return try result.get()
    }

    package func acknowledge(_ push: DevicePush) {
        let core = core
        core.loop.perform { core.value.send(.acknowledgement(push.id)) }
    }

    /// Subscribes to an app's broadcast channel. Broadcasts arrive like pushes, also on later connections.
    package func subscribe(
        to channel: ChannelID,
        of topic: Topic
    ) async throws(DeviceLinkError) -> DeviceFrame.Subscription {
        try await ask(.subscribe(topic: topic, channel: channel))
    }

    /// Ends a subscription; broadcasts in flight may still arrive.
    ///
    /// - Returns: `.none`.
    package func unsubscribe(
        from channel: ChannelID,
        of topic: Topic
    ) async throws(DeviceLinkError) -> DeviceFrame.Subscription {
        try await ask(.unsubscribe(topic: topic, channel: channel))
    }

    private func ask(_ frame: DeviceFrame) async throws(DeviceLinkError) -> DeviceFrame.Subscription {
        let core = core
        let result: Result<DeviceFrame.Subscription, DeviceLinkError> = await withCheckedContinuation { continuation in
            core.loop.perform { core.value.ask(frame) { continuation.resume(returning: $0) } }
        }
        return try result.get()
    }

    /// Registers the app for another kind of push, on this and later connections of its token.
    ///
    /// - Returns: token that stays while the app is installed.
    package func register(_ registration: TokenRegistration) async throws(DeviceLinkError) -> DeviceToken {
        let core = core
        let result: Result<DeviceToken, DeviceLinkError> = await withCheckedContinuation { continuation in
            core.loop.perform { core.value.register(registration) { continuation.resume(returning: $0) } }
        }
        return try result.get()
    }

    /// Ends a registration: pushes to its token then get a 410.
    package func unregister(_ registration: TokenRegistration) {
        let core = core
        core.loop.perform { core.value.send(.unregister(registration)) }
    }

    package func report(_ state: DeviceState) {
        let core = core
        core.loop.perform { core.value.send(.state(state)) }
    }

    /// Closes in order; `next` then returns `nil`.
    package func close() {
        let core = core
        core.loop.perform { core.value.close() }
    }
}

private final class DeviceConnectionCore: TLSChannelDelegate {
    typealias Welcome = (Result<DeviceToken, DeviceLinkError>) -> Void
    typealias Taker = (Result<DevicePush?, DeviceLinkError>) -> Void
    typealias Asker = (Result<DeviceFrame.Subscription, DeviceLinkError>) -> Void

    /// Twice the simulator's bound of unacknowledged pushes.
    private static let waitingCountMax = 128

    private let hello: DeviceHello
    private var channel: TLSChannel?
    private var decoder = DeviceFrameDecoder()
    private var welcome: Welcome?
    private var waiting: [DevicePush] = []
    private var taker: Taker?
    /// In the order of the answers.
    private var askers: [Asker] = []
    private var registrants: [Welcome] = []
    /// Set once. Success is an orderly end.
    private var end: Result<DevicePush?, DeviceLinkError>?

    init(_ hello: DeviceHello) { self.hello = hello }

    func connect(
        host: String,
        port: UInt16,
        context: TLSContext,
        loop: EventLoop,
        _ welcome: @escaping Welcome
    ) {
        // Cancelled before the connection began.
        if case .failure(let error) = end { return welcome(.failure(error)) }
        self.welcome = welcome
        var limits = TLSChannelLimits()
        // A phone waits for days.
        limits.idleDeadline = nil
        do throws(TransportError) {
            channel = try TLSChannel.connect(
                host: host,
                port: port,
                context: context,
                loop: loop,
                limits: limits,
                delegate: self
            )
        } catch {
            fail(.transport(error))
        }
    }

    func next(_ taker: @escaping Taker) {
        if !waiting.isEmpty { return taker(.success(waiting.removeFirst())) }
        if let end { return taker(end) }
        precondition(self.taker == nil, "one caller at a time")
        self.taker = taker
    }

    func ask(_ frame: DeviceFrame, _ asker: @escaping Asker) {
        guard end == nil else { return asker(.failure(endError)) }
        askers.append(asker)
        send(frame)
    }

    func register(_ registration: TokenRegistration, _ registrant: @escaping Welcome) {
        guard end == nil else { return registrant(.failure(endError)) }
        registrants.append(registrant)
        send(.register(registration))
    }

    private var endError: DeviceLinkError {
        if case .failure(let error) = end { error } else { .transport(.connectionClosed) }
    }

    func send(_ frame: DeviceFrame) {
        guard let channel, end == nil else { return }
        let bytes = frame.bytes
        do throws(TransportError) { try channel.write(bytes.span) } catch { fail(.transport(error)) }
    }

    func close() {
        channel?.close()
        finish(.success(nil))
    }

    /// Ends at once; no effect after the end.
    func fail(_ error: DeviceLinkError) {
        guard end == nil else { return }
        finish(.failure(error))
        channel?.abort(.connectionClosed)
    }

    private func finish(_ end: Result<DevicePush?, DeviceLinkError>) {
        guard self.end == nil else { return }
        self.end = end
        let askers = self.askers
        self.askers = []
        for asker in askers { asker(.failure(endError)) }
        let registrants = self.registrants
        self.registrants = []
        for registrant in registrants { registrant(.failure(endError)) }
        if let welcome {
            self.welcome = nil
            switch end {
            case .failure(let error): welcome(.failure(error))
            case .success: welcome(.failure(.transport(.connectionClosed)))
            }
        }
        if let taker {
            self.taker = nil
            taker(end)
        }
    }

    // MARK: TLSChannelDelegate

    func channelDidOpen(_ channel: TLSChannel) {
        send(.hello(hello))
    }

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        decoder.append(bytes)
        do throws(DeviceLinkError) {
            while end == nil, let frame = try decoder.next() { try handle(frame) }
        } catch {
            fail(error)
        }
    }

    func channelIsWritable(_ channel: TLSChannel) {}

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {
        self.channel = nil
        finish(error.map { .failure(.transport($0)) } ?? .success(nil))
    }

    private func handle(_ frame: DeviceFrame) throws(DeviceLinkError) {
        switch frame {
        case .welcome(let token) where welcome != nil:
            let welcome = welcome
            self.welcome = nil
            welcome?(.success(token))
        case .refused(let refusal) where welcome != nil || !registrants.isEmpty:
            throw .refused(refusal)
        case .token(let token) where !registrants.isEmpty: registrants.removeFirst()(.success(token))
        case .push(let push) where welcome == nil:
            if let taker {
                self.taker = nil
                return taker(.success(push))
            }
            guard waiting.count < Self.waitingCountMax else { throw .tooManyPushes(countMax: Self.waitingCountMax) }
            waiting.append(push)
        case .subscription(let subscription) where !askers.isEmpty:
            askers.removeFirst()(.success(subscription))
        default: throw .unexpectedFrame(type: frame.kind.rawValue)
        }
    }
}
