import APNS
import HTTP
import Networking

/// Connection to the channel management port.
final class ChannelHandler: HTTP2Handler {
    private let core: SimulatorCore
    private var validator: RequestValidator

    init(_ connection: HTTP2ServerConnection, _ core: SimulatorCore) {
        self.core = core
        let verdict = core.verdict(on: connection)
        validator = RequestValidator(keys: core.keys, core.configuration, certificate: verdict)
        if let reason = verdict.endOfConnection { connection.goAway(debugData: RejectionBody(reason).json) }
    }

    func handle(_ request: HTTP2ServerRequest, _ responder: HTTP2Responder) {
        _ = core.channels.handle(request, responder, &validator, isManagement: true)
    }

    static func serve(
        _ configuration: SimulatorConfiguration,
        context: TLSContext,
        core: LoopBound<SimulatorCore>
    ) async throws(TransportError) -> HTTP2Server? {
        guard let port = configuration.channelPort else { return nil }
        return try await HTTP2Server.start(
            address: configuration.address,
            port: port,
            context: context,
            loop: core.loop,
            limits: configuration.channelServerLimits
        ) { connection in ChannelHandler(connection, core.value) }
    }
}

extension SimulatorConfiguration {
    var channelServerLimits: HTTP2ServerLimits {
        var limits = HTTP2ServerLimits()
        limits.settings.maxConcurrentStreams = streamCountMax
        limits.settings.bodyByteCountMax = BroadcastRequest.payloadByteCountMax
        return limits
    }
}
