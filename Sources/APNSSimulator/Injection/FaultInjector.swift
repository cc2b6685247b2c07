import APNS
import HTTP
import Networking

struct InjectedPush {
    let responder: HTTP2Responder
    /// Answers 200.
    let accept: () -> Void
    let reject: (Reason) -> Void
    let deliver: () -> Void
    /// Drops the push, with an entry in the delivery log.
    let discard: () -> Void
}

/// Faults of one connection. Lives on the loop.
final class FaultInjector {
    /// Number among all connections, from 1.
    let connectionNumber: Int
    private unowned let connection: HTTP2ServerConnection
    /// Least stream id of a GOAWAY: below it, the client would repeat processed requests.
    private var highestProcessed: Int32 = 0
    private var highestReceived: Int32 = 0

    init(_ connection: HTTP2ServerConnection, number: Int) {
        self.connection = connection
        connectionNumber = number
    }

    func note(_ streamID: Int32, isProcessed: Bool) {
        highestReceived = max(highestReceived, streamID)
        if isProcessed { highestProcessed = max(highestProcessed, streamID) }
    }

    /// - Returns: nil counts as a good push.
    func carryOut(_ fault: InjectedFault, on push: InjectedPush) -> Reason? {
        switch fault {
        case .dropped:
            push.accept()
            push.discard()
        case .duplicated:
            push.accept()
            push.deliver()
            push.deliver()
        case .request(let fault): return carryOut(fault, on: push)
        }
        note(push.responder.streamID, isProcessed: true)
        return nil
    }

    private func carryOut(_ fault: RequestFault, on push: InjectedPush) -> Reason? {
        let streamID = push.responder.streamID
        switch fault {
        case .rejected(let reason):
            note(streamID, isProcessed: true)
            push.reject(reason)
            return reason
        case .slow(let delay):
            note(streamID, isProcessed: true)
            connection.loop.schedule(after: delay) {
                push.accept()
                push.deliver()
            }
        case .silence(let isProcessed): finish(push, isProcessed)
        case .reset(let code, let isProcessed):
            finish(push, isProcessed)
            push.responder.reset(code: code)
        case .connection(let fault, let isProcessed):
            finish(push, isProcessed)
            if case .deaf = fault { push.accept() }
            carryOut(fault)
        default: preconditionFailure("not a fault that can be injected")
        }
        return nil
    }

    private func finish(_ push: InjectedPush, _ isProcessed: Bool) {
        note(push.responder.streamID, isProcessed: isProcessed)
        if isProcessed { push.deliver() }
    }

    private func carryOut(_ fault: ConnectionFault) {
        switch fault {
        case .goAway(let goAway):
            var debugData: [UInt8] = []
            if case .reason(let reason) = goAway.debugData { debugData = RejectionBody(reason).json }
            connection.goAway(code: goAway.code, debugData: debugData, lastStreamID: lastStreamID(for: goAway.cut))
        case .reset: connection.reset()
        case .cut: connection.abort()
        case .close: connection.close()
        case .deaf(let duration):
            connection.setDeaf(true)
            connection.loop.schedule(after: duration) { [weak connection] in connection?.setDeaf(false) }
        default: preconditionFailure("not a fault that can be injected")
        }
    }

    /// Last stream id. Clients' streams have odd numbers; 0 is none.
    private func lastStreamID(for cut: FaultGoAway.Cut) -> Int32 {
        switch cut {
        case .processed: highestProcessed
        case .middle: (highestProcessed + highestReceived) / 4 * 2 + (highestReceived > 0 ? 1 : 0)
        case .received: highestReceived
        case .above: highestReceived > .max - 200 ? .max : highestReceived + 200
        }
    }
}
