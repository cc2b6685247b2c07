import APNS
import Transport

/// A provider's connection: its own team, key and last token.
final class PushHandler: HTTP2Handler {
    private unowned let connection: HTTP2ServerConnection
    private let core: SimulatorCore
    private var validator: RequestValidator
    private let isRefused: Bool
    private var isOpened: Bool
    /// RFC 9113 section 7.
    private static let refusedStream: UInt32 = 7

    init(_ connection: HTTP2ServerConnection, _ core: SimulatorCore) {
        self.connection = connection
        self.core = core
        let verdict = core.verdict(on: connection)
        validator = RequestValidator(keys: core.keys, core.configuration, certificate: verdict)
        isOpened = !core.configuration.startsWithOneStream
        isRefused = verdict.endOfConnection != nil
        if let reason = verdict.endOfConnection { connection.goAway(debugData: RejectionBody(reason).json) }
    }

    func handle(_ request: HTTP2ServerRequest, _ responder: HTTP2Responder) {
        // GOAWAY says that nothing was processed: a request that came before it must not be either.
        guard !isRefused else { return responder.reset(code: Self.refusedStream) }
        let isAccepted = core.handle(request, responder, &validator)
        guard isAccepted, !isOpened else { return }
        isOpened = true
        connection.setMaxConcurrentStreams(core.configuration.streamCountMax)
    }
}
