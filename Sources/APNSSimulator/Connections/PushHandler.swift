import APNS
import HTTP

/// Provider connection, with authentication, stream limit and error counts.
final class PushHandler: HTTP2Handler {
    private unowned let connection: HTTP2ServerConnection
    private let core: SimulatorCore
    private var validator: RequestValidator
    private let isRefused: Bool
    /// RFC 9113 section 7.
    private static let refusedStream: UInt32 = 7
    private var allowance: StreamAllowance
    private var tolerance: ErrorTolerance
    private var tally = ConnectionTally()
    private var number = 0
    private var injector: FaultInjector?

    init(_ connection: HTTP2ServerConnection, _ core: SimulatorCore) {
        self.connection = connection
        self.core = core
        let verdict = core.verdict(on: connection)
        validator = RequestValidator(keys: core.keys, core.configuration, certificate: verdict)
        isRefused = verdict.endOfConnection != nil
        allowance = StreamAllowance(core.configuration)
        tolerance = ErrorTolerance(core.configuration.connections)
        number = core.connections.add(self)
        injector = FaultInjector(connection, number: number)
        if let reason = verdict.endOfConnection { connection.goAway(debugData: RejectionBody(reason).json) }
    }

    func handle(_ request: HTTP2ServerRequest, _ responder: HTTP2Responder) {
        // The GOAWAY denied processing, also of earlier requests.
        guard !isRefused else { return responder.reset(code: Self.refusedStream) }
        guard !ChannelService.takes(request.path) else {
            // Broadcasts' reasons do not count as the connection's errors.
            let isAccepted = core.channels.handle(request, responder, &validator, isManagement: false)
            return didAnswer(isAccepted: isAccepted, nil)
        }
        let reason = core.handle(request, responder, &validator, injector)
        didAnswer(isAccepted: reason == nil, reason)
    }

    private func didAnswer(isAccepted: Bool, _ reason: Reason?) {
        if isAccepted { tally.acceptedCount += 1 } else { tally.rejectedCount += 1 }
        if let limit = allowance.didAnswer(isAccepted: isAccepted) {
            connection.setMaxConcurrentStreams(limit, refusesRest: limit == 1)
            core.connections.report(.streamLimit(number, limit))
        }
        let isTooMany = tolerance.didAnswer(reason)
        if let reason, isTooMany {
            connection.goAway(debugData: RejectionBody(reason).json)
            core.connections.report(.tooManyErrors(number, reason))
        }
    }

    /// Sends GOAWAY with a reason as JSON; open streams may end.
    func dismiss(reason: String) {
        let body = RejectionBody(reasonText: reason, timestampMilliseconds: nil)
        connection.goAway(debugData: body?.json ?? [])
    }

    func connectionDidClose() {
        let streams = connection.tally
        tally.streamCount = streams.openedStreamCount
        tally.refusedStreamCount = streams.refusedStreamCount
        tally.brokenStreamCount = streams.brokenStreamCount
        tally.isFlooded = streams.isFlooded
        core.connections.remove(number, tally)
    }
}
