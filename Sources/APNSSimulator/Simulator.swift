package import APNS
import Glibc
import HTTP
package import Networking

/// Simulated APNs: accepts pushes over HTTP/2, checks them as APNs does, and passes them to simulated devices.
package final class Simulator: Sendable {
    package let pushPort: UInt16
    package let devicePort: UInt16
    /// `nil` if not configured, as are the next two.
    package let channelPort: UInt16?
    package let gatewayPort: UInt16?
    package let feedbackPort: UInt16?
    let server: HTTP2Server
    private let channelServer: HTTP2Server?
    let core: LoopBound<SimulatorCore>

    /// - Parameters:
    ///   - clock: seconds since 1970.
    ///   - recording: gets every exchange, on the loop.
    ///   - tokenFile: keeps device tokens beyond the run; used on the loop.
    ///   - onEvent: called on the loop, which it must not block; `nil` saves a copy of every push.
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

    /// Its pushes get 410 from now on, `Unregistered` or `ExpiredToken`.
    package func unregister(_ token: DeviceToken, isExpired: Bool = false) async {
        let core = core
        await core.loop.run { core.value.unregister(token, isExpired: isExpired) }
    }

    package func connectionNumbers() async -> [Int] {
        let core = core
        return await core.loop.run { core.value.connections.numbers }
    }

    /// Sends GOAWAY; open requests may end.
    ///
    /// - Parameters:
    ///   - connection: nil: all.
    ///   - reason: printable ASCII without quotes, 64 characters at most, else left out. `APNS.Reason` has Apple's.
    package func dismiss(_ connection: Int? = nil, reason: String) async {
        let core = core
        await core.loop.run { core.value.connections.dismiss(connection, reason: reason) }
    }

    /// `nil` unless a simulator with this one's key made the token.
    package func report(on token: DeviceToken) async -> TokenReport? {
        let core = core
        return await core.loop.run { core.value.report(onToken: token) }
    }

    /// Issues a token to an offline device.
    ///
    /// - Parameter topic: by its suffix the kind of pushes.
    /// - Throws: `.tooManyDevices`.
    package func enrol(_ topic: Topic) async throws(DeviceError) -> DeviceToken {
        let core = core
        let result = await core.loop.run {
            Result { () throws(DeviceError) in try core.value.enrol(topic) }
        }
        return try result.get()
    }

    /// Newest first.
    package func deliveries(_ query: DeliveryLog.Query, countMax: Int) async -> [DeliveryLog.Entry] {
        let core = core
        return await core.loop.run { core.value.deliveries(query, countMax: countMax) }
    }

    /// Performs what becomes due.
    package func moveClock(bySeconds seconds: Int64) async {
        let core = core
        await core.loop.run { core.value.moveClock(by: seconds) }
    }

    /// Form for a move of `start`'s clock.
    package func wake() async {
        let core = core
        await core.loop.run { core.value.wake() }
    }

    /// - Returns: what left its files incomplete.
    @discardableResult
    package func close() async -> (recording: RecordingFileError?, tokens: TokenFileError?) {
        let core = core
        await server.close()
        await channelServer?.close()
        return await core.loop.run {
            core.value.close()
            return (core.value.recording?.close(), core.value.closeTokenFile())
        }
    }
}
