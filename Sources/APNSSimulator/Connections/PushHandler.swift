import Transport

/// A provider's connection: its own team, key and last token.
final class PushHandler: HTTP2Handler {
    private unowned let connection: HTTP2ServerConnection
    private let core: SimulatorCore
    private var validator: RequestValidator
    private var isOpened: Bool

    init(_ connection: HTTP2ServerConnection, _ core: SimulatorCore) {
        self.connection = connection
        self.core = core
        validator = RequestValidator(keys: core.keys, profile: core.configuration.profile)
        isOpened = !core.configuration.startsWithOneStream
    }

    func handle(_ request: HTTP2ServerRequest, _ responder: HTTP2Responder) {
        let isAccepted = core.handle(request, responder, &validator)
        guard isAccepted, !isOpened else { return }
        isOpened = true
        connection.setMaxConcurrentStreams(core.configuration.streamCountMax)
    }
}
