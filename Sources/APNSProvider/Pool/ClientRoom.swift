package import APNS
import Transport

/// Room that a client has for pushes that it does not have yet.
package enum ClientRoom: Equatable, Sendable {
    /// So many more have a stream on a connection that is open.
    case open(Int)
    /// No connection is open, and one is about to be.
    case connecting
    /// No connection is open, or too much was refused, and for a second or more none will be tried.
    case unreachable
    /// APNs does not believe the credential.
    case suspended(Reason)
}

extension ConnectionPool {
    /// A shorter pause is waited for.
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

    /// Pushes that found no room and are kept by their sender: `onRoom` tells when to look again.
    func want(_ count: Int) {
        wantedCount = count
        grow()
    }

    /// Hands back what no connection has a stream for, where its sender keeps such pushes.
    func handBackUnsent() {
        guard !configuration.keepsUnsent, deliveries.waitingCount > 0 else { return }
        if case .open = room { return }
        let failure = SendFailure(cause: causeOfWaiting, attemptCount: 0)
        failWaiting(.notProcessed(failure)) { $0.isUnsent }
    }
}
