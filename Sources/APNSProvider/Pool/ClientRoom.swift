package import APNS
import Networking

package enum ClientRoom: Equatable, Sendable {
    /// Free streams on open connections.
    case open(Int)
    /// No connection is open, and one soon will be.
    case connecting
    /// No open connection, or too many refusals; the next try is more than a second away.
    case unreachable
    /// APNs refuses the credential.
    case suspended(Reason)
}

extension ConnectionPool {
    /// A shorter pause counts as connecting.
    private static let pauseToWaitFor = Duration.seconds(1)

    /// Room beside the pushes that wait here.
    var room: ClientRoom {
        if let reason = lane.suspension { return .suspended(reason) }
        let now = loop.now
        if case .open(let end) = breaker.phase, end > now {
            return end - now > Self.pauseToWaitFor ? .unreachable : .connecting
        }
        var count = 0
        var isOpen = false
        for connection in connections {
            guard let freeCount = connection.freeStreamCount else { continue }
            count += freeCount
            isOpen = true
        }
        guard isOpen else {
            let isNear = connections.contains(where: \.isConnecting) || backoff.wait(at: now) <= Self.pauseToWaitFor
            return isNear ? .connecting : .unreachable
        }
        if let inFlightMax = breaker.inFlightMax(at: now) { count = min(count, inFlightMax - deliveries.inFlightCount) }
        return .open(max(0, count - deliveries.waitingCount))
    }

    /// Connects for pushes that wait at their sender.
    func want(_ count: Int) {
        wantedCount = count
        grow()
    }

    func handBackUnsent() {
        guard !configuration.keepsUnsent, deliveries.waitingCount > 0 else { return }
        if case .open = room { return }
        let failure = SendError(cause: causeOfWaiting, attemptCount: 0)
        failWaiting(.notProcessed(failure)) { $0.isUnsent }
    }
}
