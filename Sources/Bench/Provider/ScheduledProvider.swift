package import APNS
package import APNSProvider
private import Transport

/// A client as a schedule drives it: the real one, or one that makes a mistake on purpose.
package protocol ScheduledProvider: Sendable {
    /// Sends one notification and says what the caller was told.
    func send(_ notification: PushNotification) async -> ProviderScheduleJudge.Report
    /// Returns when nothing of it is left.
    func close() async
}

/// The real client.
package struct RealProvider: ScheduledProvider {
    private let client: APNSClient

    package init(_ client: APNSClient) { self.client = client }

    package func send(_ notification: PushNotification) async -> ProviderScheduleJudge.Report {
        let start = ContinuousClock.now
        let result: Result<APNSResponse, ProviderError>
        do throws(ProviderError) {
            result = .success(try await client.send(notification))
        } catch {
            result = .failure(error)
        }
        return ProviderScheduleJudge.Report(result, of: notification.id, after: ContinuousClock.now - start)
    }

    package func close() async { await client.close() }
}

extension ProviderScheduleJudge.Report {
    package init(_ result: Result<APNSResponse, ProviderError>, of id: APNSID, after duration: Duration) {
        let outcome: ProviderScheduleJudge.Outcome
        var attemptCount: Int?
        var isMaybeDuplicate = false
        let detail: String
        switch result {
        case .success(let response): detail = "\(response.status) \(response.reason?.rawValue ?? "")"
        case .failure(let error): detail = "\(error)"
        }
        switch result {
        case .success(let response):
            outcome = response.status == 200 ? .accepted : response.reason == .shutdown ? .shutDown : .rejected
            attemptCount = response.attemptCount
            isMaybeDuplicate = response.isMaybeDuplicate
        case .failure(.ambiguous(let failure)):
            outcome = .ambiguous
            attemptCount = failure.attemptCount
        case .failure(.notProcessed(let failure)):
            outcome = .notProcessed
            attemptCount = failure.attemptCount
        case .failure(.suspended): outcome = .suspended
        case .failure(.cancelled(mayHaveBeenSent: true)): outcome = .cancelledMaybeSent
        case .failure(.cancelled(mayHaveBeenSent: false)): outcome = .cancelledUnsent
        // They promise the same; a schedule asks for none of them.
        case .failure: outcome = .notProcessed
        }
        self.init(
            id: id,
            outcome: outcome,
            attemptCount: attemptCount,
            isMaybeDuplicate: isMaybeDuplicate,
            duration: duration,
            detail: detail
        )
    }
}
