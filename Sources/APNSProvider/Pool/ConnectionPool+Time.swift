import APNS
import HTTP
import Networking

extension ConnectionPool {
    /// One timer for deadlines of waiting pushes, PINGs, age and idleness.
    func planSweep() {
        guard sweepTimer == nil, !(connections.isEmpty && deliveries.isEmpty) else { return }
        sweepTimer = loop.schedule(after: sweepInterval) { [unowned self] in
            sweepTimer = nil
            sweep()
            planSweep()
        }
    }

    private var sweepInterval: Duration {
        let shortest = min(configuration.deadline, configuration.pingAfter, configuration.idleDeadline)
        return max(.milliseconds(1), min(.seconds(1), shortest / 4))
    }

    private func sweep() {
        let now = loop.now
        for delivery in deliveries.takeWaiting(where: { $0.deadline <= now }) { expire(delivery) }
        for connection in connections where connection.core.isOpen && !connection.isRetired {
            let isBusy = connection.core.openStreamCount > 0
            let silence = now - connection.core.receivedAt
            if silence >= (isBusy ? configuration.pingAfter : configuration.idlePingAfter) {
                connection.core.ping(deadline: configuration.pingDeadline)
            }
            let isSurplus =
                !isBusy && connections.count > 1 && now - connection.lastUsedAt >= configuration.idleDeadline
            if isSurplus { connection.retire() }
            let age = connection.openedAt.map { now - $0 } ?? .zero
            if age >= configuration.connectionAgeMax { replaceAged(connection, isBusy: isBusy) }
        }
        planDispatch()
    }

    func expire(_ delivery: Delivery) {
        let failure = SendError(cause: causeOfWaiting, attemptCount: delivery.attemptCount)
        finish(delivery, .failure(delivery.isMaybeDuplicate ? .ambiguous(failure) : .notProcessed(failure)))
    }

    /// A failed connect says more than a deadline.
    var causeOfWaiting: RequestFailure {
        guard let connectFailure, !connections.contains(where: \.core.isOpen) else { return .deadlineExceeded }
        return .connection(connectFailure)
    }

    /// Opens the next connection first, so that no push waits for a handshake.
    private func replaceAged(_ connection: PooledConnection, isBusy: Bool) {
        let others = connections.filter { $0 !== connection && !$0.isRetired }
        if !isBusy || others.contains(where: \.core.isOpen) { return connection.retire() }
        if others.isEmpty { connect() }
    }

    // MARK: Ending

    func close(gracefully: Bool, completion: @escaping () -> Void) {
        isClosed = true
        onClosed.append(completion)
        if !gracefully { failWaiting(.closed) }
        endIfClosed()
        for connection in connections where !gracefully { connection.core.close(gracefully: false) }
        planDispatch()
    }

    func endIfClosed() {
        guard isClosed else { return }
        if connections.isEmpty { failWaiting(.closed) }
        if deliveries.isEmpty {
            for connection in connections { connection.retire() }
        }
        guard deliveries.isEmpty, connections.isEmpty else { return }
        for timer in [sweepTimer, connectTimer, growTimer] { timer?.cancel() }
        sweepTimer = nil
        let completions = onClosed
        onClosed = []
        for completion in completions { completion() }
    }
}
