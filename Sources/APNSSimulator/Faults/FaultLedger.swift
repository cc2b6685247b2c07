package import APNS
package import Transport

/// The truth about a run, as only the server knows it: what was done with each notification, and who connected when.
package struct FaultLedger: Sendable {
    /// One notification.
    package struct Entry: Sendable, Equatable {
        /// Requests that came whole.
        package var receivedCount = 0
        /// How often the server acted on it: what a device would have seen.
        package var processedCount = 0
        /// Statuses of answers that were begun, in order.
        package var answers: [Int] = []
        /// How often it was refused in a way that promises that nothing was done.
        package var refusedCount = 0
    }

    /// One connection that the system took for us.
    package struct Connection: Sendable, Equatable {
        package let acceptedAt: MonotonicTime
        package let fault: ConnectFault?
        package var isHandshakeDone = false
        package var requestCount = 0
        package var endedAt: MonotonicTime?
    }

    package private(set) var entries: [APNSID: Entry] = [:]
    package private(set) var connections: [Connection] = []
    /// Requests on streams beyond the limit that the client had acknowledged.
    package private(set) var streamExcessCount = 0
    /// Frames that broke HTTP/2's rules, and requests that named no notification.
    package private(set) var protocolErrorCount = 0
    /// Requests that met a fault.
    package private(set) var faultCount = 0

    package init() {}

    package var receivedCount: Int { entries.values.reduce(0) { $0 + $1.receivedCount } }

    package subscript(id: APNSID) -> Entry { entries[id] ?? Entry() }

    package mutating func didReceive(_ id: APNSID) { entries[id, default: Entry()].receivedCount += 1 }

    package mutating func didProcess(_ id: APNSID) { entries[id, default: Entry()].processedCount += 1 }

    package mutating func didAnswer(_ id: APNSID, status: Int) { entries[id, default: Entry()].answers.append(status) }

    package mutating func didRefuse(_ id: APNSID) { entries[id, default: Entry()].refusedCount += 1 }

    package mutating func didMeetFault() { faultCount += 1 }

    package mutating func didExceedStreams() { streamExcessCount += 1 }

    package mutating func didBreakProtocol() { protocolErrorCount += 1 }

    /// - Returns: its number, from 0.
    package mutating func didAccept(at time: MonotonicTime, _ fault: ConnectFault?) -> Int {
        connections.append(Connection(acceptedAt: time, fault: fault))
        return connections.count - 1
    }

    mutating func didShakeHands(_ number: Int) { connections[number].isHandshakeDone = true }

    mutating func didReceiveRequest(on number: Int) { connections[number].requestCount += 1 }

    mutating func didEnd(_ number: Int, at time: MonotonicTime) { connections[number].endedAt = time }
}
