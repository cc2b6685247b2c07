import APNS
import HTTP
import Networking

/// One client's connections and pushes. Lives on one loop.
///
/// Pushes wait here and not in a connection, so that its end affects only those in flight.
final class ConnectionPool {
    let loop: EventLoop
    let endpoint: APNSEndpoint
    let configuration: APNSClientConfiguration
    private(set) var connectionCountMax: Int
    var credential: PoolCredential
    var lane = CredentialState()
    var breaker = Breaker()
    var cuts = CutLimit()
    var backoff: ReconnectBackoff
    var deliveries = DeliveryTable()
    var connections: [PooledConnection] = []
    var nextConnectionNumber = 1
    var connectFailure: TransportError?
    /// One connection is filled before the next.
    private var cursor = 0
    /// `Duration` counts in 128 bits, too slow for each push.
    private let deadlineNanoseconds: Int64
    private let answerDeadlineNanoseconds: Int64
    private var isDispatchPlanned = false
    private(set) var lastPayloadByteCount = 0
    /// Pushes that wait for room at their sender.
    var wantedCount = 0
    var isClosed = false
    var onClosed: [() -> Void] = []
    var sweepTimer: LoopTimer?
    var connectTimer: LoopTimer?
    var growTimer: LoopTimer?
    var resendBudget = ResendBudget()

    init(
        loop: EventLoop,
        endpoint: APNSEndpoint,
        credential: PoolCredential,
        configuration: APNSClientConfiguration
    ) {
        self.loop = loop
        self.endpoint = endpoint
        self.credential = credential
        self.configuration = configuration
        connectionCountMax = configuration.connectionCountMax
        deadlineNanoseconds = MonotonicTime.nanoseconds(of: configuration.deadline)
        answerDeadlineNanoseconds = MonotonicTime.nanoseconds(of: configuration.answerDeadline)
        backoff = ReconnectBackoff(configuration.backoff)
    }

    func notify(_ event: @autoclosure () -> APNSClientEvent) {
        if let observer = configuration.observer { observer.record(event()) }
    }

    // MARK: Pushes

    func send(
        _ id: UInt64,
        _ notification: PushNotification,
        _ receiver: DeliveryReceiver,
        _ waitingCountMax: Int = .max,
        within deadline: Duration? = nil
    ) {
        do throws(PushNotificationError) {
            try notification.check()
            try credential.check(notification)
        } catch {
            return receiver.finish(.failure(.notSendable(error)))
        }
        let now = loop.now
        let delivery = Delivery(
            id: id,
            notification: notification,
            receiver: receiver,
            enqueuedAt: now,
            deadline: now.adding(nanoseconds: deadline.map(MonotonicTime.nanoseconds(of:)) ?? deadlineNanoseconds)
        )
        if isClosed { return finish(delivery, .failure(.closed)) }
        if let reason = lane.suspension { return finish(delivery, .failure(.suspended(reason))) }
        guard deliveries.waitingCount < waitingCountMax else {
            return finish(delivery, .failure(.queueFull(countMax: waitingCountMax)))
        }
        resendBudget.didSend()
        deliveries.wait(delivery)
        planDispatch()
        planSweep()
    }

    func cancel(_ ids: Range<UInt64>) {
        cancelWaiting { ids.contains($0.id) }
        for slot in deliveries.slots(of: ids) {
            for connection in connections { connection.core.cancel(UInt64(slot)) }
        }
    }

    func takeBack(where matches: (PushNotification) -> Bool) { cancelWaiting { matches($0.notification) } }

    private func cancelWaiting(where matches: (Delivery) -> Bool) {
        for delivery in deliveries.takeWaiting(where: matches) {
            finish(delivery, .failure(.cancelled(mayHaveBeenSent: delivery.isMaybeDuplicate)))
        }
    }

    func finish(_ delivery: Delivery, _ result: Result<APNSResponse, ProviderError>) {
        if configuration.observer != nil { notifyEnd(of: delivery, result) }
        delivery.receiver.finish(result)
    }

    private func notifyEnd(of delivery: Delivery, _ result: Result<APNSResponse, ProviderError>) {
        let trace = delivery.trace
        switch result {
        case .success(let response): notify(.answered(response, trace: trace, duration: loop.now - delivery.enqueuedAt))
        case .failure(let error): notify(.failed(delivery.notification.id, trace: trace, error))
        }
    }

    func failWaiting(_ error: ProviderError, where matches: (Delivery) -> Bool = { _ in true }) {
        for delivery in deliveries.takeWaiting(where: matches) {
            finish(delivery, .failure(reported(error, of: delivery)))
        }
    }

    /// Ambiguous if an earlier attempt may have been processed.
    private func reported(_ error: ProviderError, of delivery: Delivery) -> ProviderError {
        var cause = RequestFailure.connection(.connectionClosed)
        if case .notProcessed(let failure) = error { cause = failure.cause }
        let failure = SendError(cause: cause, attemptCount: delivery.attemptCount)
        if delivery.isMaybeDuplicate { return .ambiguous(failure) }
        if case .notProcessed = error { return .notProcessed(failure) }
        return error
    }

    // MARK: Dispatch

    /// Sends at the turn's end.
    func planDispatch() {
        guard !isDispatchPlanned, deliveries.waitingCount > 0 || wantedCount > 0 || isClosed else { return }
        isDispatchPlanned = true
        loop.atTurnEnd(self)
    }

    private func dispatch() {
        let now = loop.now
        while let (slot, delivery) = deliveries.firstWaiting() {
            if let inFlightMax = breaker.inFlightMax(at: now), deliveries.inFlightCount >= inFlightMax { return }
            // Waits for a connection up to its deadline.
            guard let connection = connectionWithRoom() else { return grow() }
            if delivery.isTooLate(at: now) {
                expire(deliveries.takeFirstWaiting(slot))
                continue
            }
            start(delivery, slot, on: connection, at: now)
        }
    }

    private func connectionWithRoom() -> PooledConnection? {
        for _ in connections.indices {
            if cursor >= connections.count { cursor = 0 }
            if connections[cursor].hasRoom() { return connections[cursor] }
            cursor += 1
        }
        return nil
    }

    private func start(_ delivery: Delivery, _ slot: Int, on connection: PooledConnection, at now: MonotonicTime) {
        let token: ProviderToken?
        do throws(ProviderError) {
            token = try credential.token(at: now)
        } catch {
            return failWaiting(error)
        }
        deliveries.startFirstWaiting()
        delivery.attemptCount += 1
        delivery.isUnsent = false
        lastPayloadByteCount = delivery.notification.payload.count
        delivery.tokenIssuedAt = token?.issuedAt
        delivery.write(with: &connection.encoder, token)
        let deadline = min(delivery.deadline, now.adding(nanoseconds: answerDeadlineNanoseconds))
        do throws(TransportError) {
            try connection.start(slot, body: delivery.notification.payload, deadline: deadline)
        } catch {
            didFail(slot, error, connection)
        }
    }

    /// Bounds the connections from now on. The newest ones beyond it close after their pushes.
    func limitConnections(to countMax: Int) {
        connectionCountMax = countMax
        for connection in connections.filter({ !$0.isRetired }).dropFirst(countMax) { connection.retire() }
        planDispatch()
    }

    // MARK: Credential

    func suspend(_ reason: Reason) {
        notify(.suspended(reason))
        for connection in connections { connection.retire() }
        failWaiting(.suspended(reason))
    }

    func resume() {
        guard lane.suspension != nil else { return }
        lane.resume()
        notify(.resumed)
    }

    func replace(_ credential: PoolCredential) {
        self.credential = credential
        for connection in connections { connection.retire() }
        resume()
        lane.resume()
        planDispatch()
    }
}

extension ConnectionPool: TurnEndHandler {
    func handleTurnEnd() {
        isDispatchPlanned = false
        dispatch()
        handBackUnsent()
        if wantedCount > 0 {
            wantedCount = 0
            configuration.onRoom?()
        }
        endIfClosed()
    }
}
