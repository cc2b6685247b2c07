package import APNS
import Glibc
package import Transport

/// Apple's side: takes pushes over HTTP/2, checks them as APNs does, and passes them to simulated devices.
package final class Simulator: Sendable {
    /// Where providers push.
    package let pushPort: UInt16
    /// Where devices connect.
    package let devicePort: UInt16
    /// Where channels are managed; `nil` where the configuration has no port for it, as with the next two.
    package let channelPort: UInt16?
    /// Where providers of before 2021 push.
    package let gatewayPort: UInt16?
    /// Where they read which apps are gone.
    package let feedbackPort: UInt16?
    let server: HTTP2Server
    private let channelServer: HTTP2Server?
    let core: LoopBound<SimulatorCore>

    /// Listens on every port that the configuration names.
    ///
    /// - Parameters:
    ///   - configuration: where, and for whom.
    ///   - identity: with what certificate.
    ///   - loop: everything of the simulator lives on it.
    ///   - clock: seconds since 1970.
    ///   - recording: every request and its answer go there; it is on the loop from now on.
    ///   - tokenFile: where device tokens are kept; it is on the loop from now on. Without it they end with the simulator.
    ///   - onEvent: called on the loop, which it must not block; `nil` saves a copy of every push.
    /// - Returns: the simulator, with its ports open.
    /// - Throws: `.addressInUse` with the port, `.tls` for unreadable authorities, among others.
    package static func start(
        _ configuration: SimulatorConfiguration,
        identity: SimulatorIdentity,
        loop: EventLoop,
        clock: @escaping @Sendable () -> Int64 = { Int64(time(nil)) },
        recording: RecordingFile? = nil,
        tokenFile: TokenFile? = nil,
        onEvent: (@Sendable (SimulatorEvent) -> Void)? = nil
    ) async throws(TransportError) -> Simulator {
        let pushContext: TLSContext
        let legacyContext: TLSContext?
        do throws(TLSError) {
            pushContext = try identity.push(configuration)
            legacyContext = try identity.legacy(configuration)
        } catch {
            throw .tls(error)
        }
        let core = LoopBound(
            SimulatorCore(
                configuration,
                identity: identity,
                clock: clock,
                onEvent: onEvent,
                recording: recording,
                tokenFile: tokenFile
            ),
            to: loop
        )
        let listening = await loop.run {
            Result { () throws(TransportError) in try core.value.listen(identity.device, loop: loop) }
        }
        let devicePort = try listening.get()
        do throws(TransportError) {
            let server = try await HTTP2Server.start(
                address: configuration.address,
                port: configuration.pushPort,
                context: pushContext,
                loop: loop,
                limits: configuration.serverLimits,
                admits: { address in core.value.admitProvider(address) }
            ) { connection in
                PushHandler(connection, core.value)
            }
            let channelServer = try await ChannelHandler.serve(configuration, context: pushContext, core: core)
            let legacy = await loop.run {
                Result { () throws(TransportError) in try core.value.legacy.listen(legacyContext, loop: loop) }
            }
            await core.loop.run { (core.value.pushServer, core.value.channelServer) = (server, channelServer) }
            return Simulator(
                server: server,
                channelServer: channelServer,
                devicePort: devicePort,
                legacy: try legacy.get(),
                core: core
            )
        } catch {
            loop.perform { core.value.close() }
            throw error
        }
    }

    private init(
        server: HTTP2Server,
        channelServer: HTTP2Server?,
        devicePort: UInt16,
        legacy: LegacyInterface.Ports,
        core: LoopBound<SimulatorCore>
    ) {
        self.server = server
        self.channelServer = channelServer
        pushPort = server.port
        channelPort = channelServer?.port
        gatewayPort = legacy.gateway
        feedbackPort = legacy.feedback
        self.devicePort = devicePort
        self.core = core
    }

    deinit {
        let core = core
        core.loop.perform { core.value.close() }
    }

    /// Takes the app off the device: its pushes are answered 410 from now on, `Unregistered` or `ExpiredToken`.
    package func unregister(_ token: DeviceToken, isExpired: Bool = false) async {
        let core = core
        await core.loop.run { core.value.unregister(token, isExpired: isExpired) }
    }

    /// The numbers of the providers' connections that are open.
    package func connectionNumbers() async -> [Int] {
        let core = core
        return await core.loop.run { core.value.connections.numbers }
    }

    /// Says GOAWAY to a provider; what it has open may end.
    ///
    /// - Parameters:
    ///   - connection: its number; nil: to all of them.
    ///   - reason: printable ASCII without quotes, 64 characters at most, and otherwise left out. Apple's are in
    ///     `APNS.Reason`.
    package func dismiss(_ connection: Int? = nil, reason: String) async {
        let core = core
        await core.loop.run { core.value.connections.dismiss(connection, reason: reason) }
    }

    /// What is known of a token; `nil` for one that no simulator with this one's key has made.
    package func report(on token: DeviceToken) async -> TokenReport? {
        let core = core
        return await core.loop.run { core.value.report(onToken: token) }
    }

    /// Gives out the token of a device that is away, as if it had been here before.
    ///
    /// - Parameter topic: the app on it, and by its suffix what it is registered for.
    /// - Returns: the token.
    /// - Throws: `.tooManyDevices`.
    package func enrol(_ topic: Topic) async throws(DeviceRefused) -> DeviceToken {
        let core = core
        let result = await core.loop.run {
            Result { () throws(DeviceRefused) in try core.value.enrol(topic) }
        }
        return try result.get()
    }

    /// The ends of pushes, as far as they are remembered: the newest first, and at most so many.
    package func deliveries(_ query: DeliveryLog.Query, countMax: Int) async -> [DeliveryLog.Entry] {
        let core = core
        return await core.loop.run { core.value.deliveries(query, countMax: countMax) }
    }

    /// Moves the simulator's clock, and does what has become due.
    package func moveClock(bySeconds seconds: Int64) async {
        let core = core
        await core.loop.run { core.value.moveClock(by: seconds) }
    }

    /// Does what is due, after the clock that the simulator was given has been moved.
    package func wake() async {
        let core = core
        await core.loop.run { core.value.wake() }
    }

    /// Ends every listener and every connection.
    ///
    /// - Returns: why the files that it wrote are not complete.
    @discardableResult
    package func close() async -> (recording: RecordingFile.Failure?, tokens: TokenFile.Failure?) {
        let core = core
        await server.close()
        await channelServer?.close()
        return await core.loop.run {
            core.value.close()
            return (core.value.recording?.close(), core.value.closeTokenFile())
        }
    }
}
