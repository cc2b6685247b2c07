import APNS
import HTTP
import Networking

extension ConnectionPool {
    func requestDidEnd(_ slot: Int, _ result: Result<HTTP2Response, TransportError>, _ connection: PooledConnection) {
        switch result {
        case .success(let response): didAnswer(slot, response, connection)
        case .failure(let error): didFail(slot, error, connection)
        }
        planDispatch()
    }

    // MARK: Answers

    private func didAnswer(_ slot: Int, _ response: HTTP2Response, _ connection: PooledConnection) {
        let delivery = deliveries[slot]
        cuts.didAnswer()
        let answer = APNSResponse(
            response,
            to: delivery.notification.id,
            attemptCount: delivery.attemptCount,
            isMaybeDuplicate: delivery.isMaybeDuplicate
        )
        learn(from: answer, connection)
        if let reason = answer.reason, isWorthRepeating(reason, slot, connection) {
            return again(slot, .refusal(reason))
        }
        // Only the credential keeps it from another connection.
        if answer.reason == .shutdown, !delivery.isMaybeDuplicate, let reason = lane.suspension {
            configuration.onEarlierAttempt?(delivery.notification.id, .refusal(.shutdown))
            return finish(deliveries.takeInFlight(slot), .failure(.suspended(reason)))
        }
        finish(deliveries.takeInFlight(slot), .success(answer))
    }

    private func learn(from answer: APNSResponse, _ connection: PooledConnection) {
        let isRefusal = (400..<500).contains(answer.status) && answer.status != 410
        // Its refusals are 403, before all other checks.
        let isAuthenticated = answer.status < 500 && answer.status != 403
        connection.didAnswer(isAuthenticated: isAuthenticated, isRefusal: isRefusal)
        if isAuthenticated { backoff.didSucceed() }
        if breaker.didAnswer(isRefusal: isRefusal, at: loop.now), case .open(let end) = breaker.phase {
            notify(.breakerOpened(pause: end - loop.now))
            loop.schedule(after: end - loop.now) { [self] in planDispatch() }
        }
        guard isAuthenticated || answer.reason?.blamesCredential == true else { return }
        if lane.didAnswer(answer.reason), let reason = lane.suspension { suspend(reason) }
    }

    /// Refusals that concern the connection or token.
    private func isWorthRepeating(_ reason: Reason, _ slot: Int, _ connection: PooledConnection) -> Bool {
        let delivery = deliveries[slot]
        switch reason {
        case .shutdown:
            // The server is shutting down and has done nothing.
            connection.retire()
            return mayTryAgain(delivery)
        case .expiredProviderToken, .unrelatedKeyIDInToken:
            guard !delivery.hasRetriedRefusal, mayTryAgain(delivery) else { return false }
            // A connection keeps its judgement of its first token.
            connection.retire()
            delivery.hasRetriedRefusal = true
            guard reason == .expiredProviderToken else { return true }
            return credential.renew(refused: delivery.tokenIssuedAt, reason, at: loop.now)
        case .tooManyProviderTokenUpdates:
            guard !delivery.hasRetriedRefusal, mayTryAgain(delivery) else { return false }
            delivery.hasRetriedRefusal = true
            return credential.renew(refused: delivery.tokenIssuedAt, reason, at: loop.now)
        default: return false
        }
    }

    // MARK: Failures

    /// Resends at once what was not processed; ambiguous pushes by policy.
    func didFail(_ slot: Int, _ error: TransportError, _ connection: PooledConnection) {
        switch error {
        case .notProcessed(let cause): didNotProcess(slot, cause, connection)
        case .ambiguous(let cause): didLoseAnswer(slot, cause, connection)
        default: didNotProcess(slot, .connection(error), connection)
        }
    }

    private func didNotProcess(_ slot: Int, _ cause: RequestFailure, _ connection: PooledConnection) {
        if cause == .streamsExhausted { connection.retire() }
        let delivery = deliveries[slot]
        if cause == .cancelled {
            let wasSent = delivery.isMaybeDuplicate
            return finish(deliveries.takeInFlight(slot), .failure(.cancelled(mayHaveBeenSent: wasSent)))
        }
        if isFatal(cause) || !mayTryAgain(delivery) { return giveUp(slot, cause, connection, wasSent: false) }
        delivery.isUnsent = !delivery.isMaybeDuplicate
        again(slot, .failure(cause))
    }

    private func didLoseAnswer(_ slot: Int, _ cause: RequestFailure, _ connection: PooledConnection) {
        let delivery = deliveries[slot]
        if cause == .cancelled {
            return finish(deliveries.takeInFlight(slot), .failure(.cancelled(mayHaveBeenSent: true)))
        }
        if case .connection = cause, !connection.isCut {
            connection.isCut = true
            cuts.didCut()
        }
        // The connection may be dead.
        if cause == .deadlineExceeded { connection.core.ping(deadline: configuration.pingDeadline) }
        guard isResendAllowed(delivery), mayTryAgain(delivery), resendBudget.take() else {
            return giveUp(slot, cause, connection, wasSent: true)
        }
        delivery.isMaybeDuplicate = true
        again(slot, .failure(cause))
    }

    private func isResendAllowed(_ delivery: Delivery) -> Bool {
        switch configuration.ambiguity {
        case .report: false
        case .resendCollapsible: delivery.notification.collapseID != nil
        case .resend: true
        }
    }

    private func isFatal(_ cause: RequestFailure) -> Bool {
        if case .rejected = cause { return true }
        return false
    }

    private func mayTryAgain(_ delivery: Delivery) -> Bool {
        delivery.attemptCount < configuration.attemptCountMax && loop.now < delivery.deadline && lane.suspension == nil
    }

    private func again(_ slot: Int, _ cause: ResendCause) {
        let delivery = deliveries[slot]
        configuration.onEarlierAttempt?(delivery.notification.id, cause)
        notify(
            .resent(
                delivery.notification.id,
                trace: delivery.trace,
                cause,
                isMaybeDuplicate: delivery.isMaybeDuplicate
            )
        )
        deliveries.waitAgain(slot)
    }

    private func giveUp(_ slot: Int, _ cause: RequestFailure, _ connection: PooledConnection, wasSent: Bool) {
        let delivery = deliveries.takeInFlight(slot)
        let failure = SendError(cause: cause, goAway: connection.goAway, attemptCount: delivery.attemptCount)
        if wasSent || delivery.isMaybeDuplicate { return finish(delivery, .failure(.ambiguous(failure))) }
        configuration.onEarlierAttempt?(delivery.notification.id, .failure(cause))
        if let reason = lane.suspension { return finish(delivery, .failure(.suspended(reason))) }
        finish(delivery, .failure(.notProcessed(failure)))
    }
}
