import APNS
import APNSSimulator
import Networking

/// One request under its plan.
struct FaultExchange {
    /// Weak: a delayed answer keeps nothing alive.
    private weak var connection: FaultConnection?
    private let loop: EventLoop
    private let streamID: Int32
    private let id: APNSID

    init(connection: FaultConnection, streamID: Int32, id: APNSID) {
        self.connection = connection
        loop = connection.loop
        self.streamID = streamID
        self.id = id
    }

    func carryOut(_ plan: FaultPlan.Request) {
        after(plan.processingDelay) { exchange in
            guard let fault = plan.fault else {
                return exchange.process(thenAfter: plan.answerDelay, .accepted(exchange.id))
            }
            exchange.carryOut(fault, after: plan.answerDelay)
        }
    }

    private func carryOut(_ fault: RequestFault, after delay: Duration) {
        var accepted = FaultAnswer.accepted(id)
        switch fault {
        case .reset(let code, let isProcessed):
            if isProcessed { connection?.process(streamID) }
            after(delay) { $0.connection?.reset($0.streamID, code: code) }
        case .headThenReset(let code):
            guard connection?.process(streamID) == true else { return }
            let head = FaultFrame.headers(
                streamID,
                [(":status", Array("200".utf8))] + accepted.fields,
                endsStream: false
            )
            connection?.write([head])
            after(delay) { $0.connection?.reset($0.streamID, code: code) }
        case .silence(let isProcessed):
            if isProcessed { connection?.process(streamID) }
            connection?.streams[streamID]?.isSettled = true
        case .slow(let duration): process(thenAfter: duration, accepted)
        case .informational:
            accepted.isInformationalFirst = true
            process(thenAfter: delay, accepted)
        case .trailers:
            accepted.hasTrailers = true
            process(thenAfter: delay, accepted)
        case .bodyFirst:
            accepted.isBodyFirst = true
            process(thenAfter: delay, accepted)
        case .otherID: process(thenAfter: delay, .accepted(APNSID(randomBytes: [UInt8](repeating: 0xEE, count: 16))))
        case .noID: process(thenAfter: delay, .accepted(nil))
        case .rejected, .rejectedInSingleBytes, .rejectedWithBody: reject(fault, after: delay)
        case .connection(let fault, let isProcessed):
            let isActedOn = isProcessed && connection?.process(streamID) == true
            connection?.carryOut(fault)
            after(delay) { exchange in
                guard isActedOn else { return exchange.process(thenAfter: .zero, .accepted(exchange.id)) }
                exchange.connection?.answer(exchange.streamID, .accepted(exchange.id))
            }
        }
    }

    private func reject(_ fault: RequestFault, after delay: Duration) {
        var answer: FaultAnswer
        switch fault {
        case .rejected(let reason): answer = .rejected(reason, id)
        case .rejectedInSingleBytes(let reason):
            answer = .rejected(reason, id)
            answer.isInSingleBytes = true
        case .rejectedWithBody(let status, let body): answer = .rejected(status: status, body, id)
        default: return
        }
        let planned = answer
        after(delay) { $0.connection?.answer($0.streamID, planned) }
    }

    private func process(thenAfter delay: Duration, _ answer: FaultAnswer) {
        guard connection?.process(streamID) == true else { return }
        after(delay) { $0.connection?.answer($0.streamID, answer) }
    }

    private func after(_ delay: Duration, _ body: @escaping (FaultExchange) -> Void) {
        guard delay > .zero else { return body(self) }
        loop.schedule(after: delay) { body(self) }
    }
}
