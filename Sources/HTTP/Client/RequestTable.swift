import Networking

/// Client connection's pending requests: by slot, or waiting for a stream.
struct RequestTable {
    private struct WaitingRequest {
        let request: HTTP2Request
        let pending: PendingRequest
    }

    /// Indexed by slot.
    private var started: [PendingRequest?] = []
    private var waiting = RingBuffer<WaitingRequest>()

    // MARK: Waiting for a stream

    var waitingCount: Int { waiting.count }

    mutating func wait(_ request: HTTP2Request, _ pending: PendingRequest) {
        waiting.append(WaitingRequest(request: request, pending: pending))
    }

    mutating func takeNextWaiting() -> (HTTP2Request, PendingRequest)? {
        // Nearly always empty; the count is read without a call.
        guard waiting.count > 0 else { return nil }
        return waiting.popFirst().map { ($0.request, $0.pending) }
    }

    mutating func takeWaiting(where matches: (PendingRequest) -> Bool) -> [PendingRequest] {
        waiting.removeAll { matches($0.pending) }.map(\.pending)
    }

    // MARK: Waiting for an answer

    var slots: Range<Int> { started.indices }

    mutating func start(_ pending: PendingRequest, _ slot: Int) {
        while started.count <= slot {
            started.append(nil)
        }
        started[slot] = pending
    }

    func slot(of id: UInt64) -> Int? {
        started.firstIndex { $0?.id == id }
    }

    mutating func take(_ slot: Int) -> PendingRequest? {
        guard slot < started.count else { return nil }
        let request = started[slot]
        started[slot] = nil
        return request
    }

    // MARK: Deadlines

    func expiredSlots(at now: MonotonicTime) -> [Int] {
        started.indices.filter { slot in started[slot].map { $0.deadline <= now } ?? false }
    }

    var earliestDeadline: MonotonicTime? {
        var earliest: MonotonicTime?
        func consider(_ deadline: MonotonicTime) {
            earliest = earliest.map { min($0, deadline) } ?? deadline
        }
        for case let request? in started {
            consider(request.deadline)
        }
        waiting.forEach { consider($0.pending.deadline) }
        return earliest
    }
}
