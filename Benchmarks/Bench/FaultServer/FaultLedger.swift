package import APNS
package import Networking

/// The server's record of a run: the processing of each notification, and every connection with its times.
package struct FaultLedger: Sendable {
    package struct Entry: Sendable, Equatable {
        /// Complete requests.
        package var receivedCount = 0
        /// Number of times it was processed, as a device would have seen.
        package var processedCount = 0
        /// Statuses of answers that were begun, in order.
        package var answers: [Int] = []
        /// Refusals that promise that nothing was processed.
        package var refusedCount = 0
    }

    package struct Request: Sendable, Equatable {
        package let id: APNSID
        /// Index in `connections`.
        package let connection: Int
        package let receivedAt: MonotonicTime
        package let tokenIssuedAt: Int64?
        package fileprivate(set) var answer: Answer?
    }

    /// An answer that was written to its end; the client may not have read it.
    package struct Answer: Sendable, Equatable {
        package let status: Int
        /// Reason in its body, if it is one of Apple's.
        package let reason: Reason?
        /// Answers written and requests received before it.
        package let number: Int
        package let requestCount: Int
    }

    package struct Connection: Sendable, Equatable {
        package let acceptedAt: MonotonicTime
        package let fault: ConnectFault?
        package var isHandshakeDone = false
        package var requestCount = 0
        package var endedAt: MonotonicTime?
    }

    package private(set) var entries: [APNSID: Entry] = [:]
    package private(set) var connections: [Connection] = []
    /// In order of arrival.
    package private(set) var requests: [Request] = []
    package private(set) var answerCount = 0
    /// Requests on streams beyond the limit that the client had acknowledged.
    package private(set) var streamExcessCount = 0
    /// Frames that broke HTTP/2's rules, and requests that named no notification.
    package private(set) var protocolErrorCount = 0
    /// Requests and connections that met a fault.
    package private(set) var faultCount = 0

    package init() {}

    package var receivedCount: Int { entries.values.reduce(0) { $0 + $1.receivedCount } }

    package subscript(id: APNSID) -> Entry { entries[id] ?? Entry() }

    /// - Parameter connection: Index in `connections`.
    /// - Returns: Index in `requests`.
    @discardableResult
    package mutating func didReceive(
        _ id: APNSID,
        on connection: Int = 0,
        tokenIssuedAt: Int64? = nil,
        at time: MonotonicTime = MonotonicTime(nanoseconds: 0)
    ) -> Int {
        entries[id, default: Entry()].receivedCount += 1
        if connections.indices.contains(connection) { connections[connection].requestCount += 1 }
        requests.append(
            Request(id: id, connection: connection, receivedAt: time, tokenIssuedAt: tokenIssuedAt)
        )
        return requests.count - 1
    }

    package mutating func didProcess(_ id: APNSID) { entries[id, default: Entry()].processedCount += 1 }

    package mutating func didAnswer(_ id: APNSID, status: Int) { entries[id, default: Entry()].answers.append(status) }

    package mutating func didFinishAnswer(to index: Int, status: Int, _ reason: Reason?) {
        requests[index].answer = Answer(
            status: status,
            reason: reason,
            number: answerCount,
            requestCount: requests.count
        )
        answerCount += 1
    }

    package mutating func didRefuse(_ id: APNSID) { entries[id, default: Entry()].refusedCount += 1 }

    package mutating func didMeetFault() { faultCount += 1 }

    package mutating func didExceedStreams() { streamExcessCount += 1 }

    package mutating func didBreakProtocol() { protocolErrorCount += 1 }

    package mutating func didAccept(at time: MonotonicTime, _ fault: ConnectFault?) -> Int {
        connections.append(Connection(acceptedAt: time, fault: fault))
        return connections.count - 1
    }

    mutating func didShakeHands(_ number: Int) { connections[number].isHandshakeDone = true }

    mutating func didEnd(_ number: Int, at time: MonotonicTime) { connections[number].endedAt = time }
}
