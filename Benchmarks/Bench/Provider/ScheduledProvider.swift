package import APNS
package import APNSProvider
private import Platform

/// A client as a schedule drives it: the real one, or one with a deliberate mistake.
package protocol ScheduledProvider: Sendable {
    func send(_ notification: PushNotification) async -> ProviderScheduleVerifier.Report
    func trySend(_ notification: PushNotification) async -> ProviderScheduleVerifier.Report
    /// Sends many, and returns the outcomes in order of report.
    func send(_ batch: [PushNotification]) async -> [ProviderScheduleVerifier.Report]
    /// Sends many with bounded concurrency, and reports each outcome as it comes.
    func send(
        each notifications: [PushNotification],
        inFlightMax: Int,
        tell: @Sendable (ProviderScheduleVerifier.Report) -> Void
    ) async
    /// Returns when the client is gone.
    func close() async
}

package struct RealProvider: ScheduledProvider {
    private let client: APNSClient

    package init(_ client: APNSClient) { self.client = client }

    package func send(_ notification: PushNotification) async -> ProviderScheduleVerifier.Report {
        await report(of: notification) { () throws(ProviderError) in try await client.send(notification) }
    }

    package func trySend(_ notification: PushNotification) async -> ProviderScheduleVerifier.Report {
        await report(of: notification) { () throws(ProviderError) in try await client.trySend(notification) }
    }

    private func report(
        of notification: PushNotification,
        _ send: () async throws(ProviderError) -> APNSResponse
    ) async -> ProviderScheduleVerifier.Report {
        let start = ContinuousClock.now
        let result: Result<APNSResponse, ProviderError>
        do throws(ProviderError) { result = .success(try await send()) } catch { result = .failure(error) }
        return ProviderScheduleVerifier.Report(result, of: notification.id, after: ContinuousClock.now - start)
    }

    package func send(_ batch: [PushNotification]) async -> [ProviderScheduleVerifier.Report] {
        let start = ContinuousClock.now
        let results = await client.send(batch)
        return Self.reports(results, of: batch, after: ContinuousClock.now - start)
    }

    /// A caller matches results to notifications by position only.
    package static func reports(
        _ results: [Result<APNSResponse, ProviderError>],
        of batch: [PushNotification],
        after duration: Duration
    ) -> [ProviderScheduleVerifier.Report] {
        zip(results, batch).map { ProviderScheduleVerifier.Report($0, of: $1.id, after: duration) }
    }

    package func send(
        each notifications: [PushNotification],
        inFlightMax: Int,
        tell: @Sendable (ProviderScheduleVerifier.Report) -> Void
    ) async {
        let source = TimedNotifications(notifications)
        do {
            for try await answer in client.responses(to: source, inFlightMax: inFlightMax) {
                tell(
                    ProviderScheduleVerifier.Report(answer.result, of: answer.id, after: source.duration(of: answer.id))
                )
            }
        } catch {
            // Cancelled: the rest has no reports. Otherwise the verifier misses them.
        }
    }

    package func close() async { await client.close() }
}

extension ProviderScheduleVerifier.Report {
    package init(_ result: Result<APNSResponse, ProviderError>, of id: APNSID, after duration: Duration) {
        let outcome: ProviderScheduleVerifier.Outcome
        var attemptCount: Int?
        var isMaybeDuplicate = false
        var answer: (id: APNSID, reason: Reason?)?
        let detail: String
        switch result {
        case .success(let response): detail = "\(response.status) \(response.reason?.rawValue ?? "")"
        case .failure(let error): detail = "\(error)"
        }
        switch result {
        case .success(let response):
            outcome = response.status == 200 ? .accepted : response.reason == .shutdown ? .shutDown : .rejected
            attemptCount = response.attemptCount
            answer = (response.id, response.reason)
            isMaybeDuplicate = response.isMaybeDuplicate
        case .failure(.ambiguous(let failure)):
            outcome = .ambiguous
            attemptCount = failure.attemptCount
        case .failure(.notProcessed(let failure)):
            outcome = .notProcessed
            attemptCount = failure.attemptCount
        case .failure(.suspended): outcome = .suspended
        case .failure(.queueFull): outcome = .queueFull
        case .failure(.cancelled(mayHaveBeenSent: true)): outcome = .cancelledMaybeSent
        case .failure(.cancelled(mayHaveBeenSent: false)): outcome = .cancelledUnsent
        // All promise the same; a schedule asks for none of them.
        case .failure: outcome = .notProcessed
        }
        self.init(
            id: id,
            outcome: outcome,
            attemptCount: attemptCount,
            isMaybeDuplicate: isMaybeDuplicate,
            answer: answer,
            duration: duration,
            detail: detail
        )
    }
}

/// A source of notifications that records when each was taken.
private struct TimedNotifications: AsyncSequence, Sendable {
    private let notifications: [PushNotification]
    private let starts = Starts()

    init(_ notifications: [PushNotification]) { self.notifications = notifications }

    func duration(of id: APNSID) -> Duration {
        starts.byID.withLock { starts in starts[id].map { ContinuousClock.now - $0 } ?? .zero }
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: notifications[...], starts: starts) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var rest: ArraySlice<PushNotification>
        fileprivate let starts: Starts

        mutating func next() async -> PushNotification? {
            guard let notification = rest.popFirst() else { return nil }
            starts.byID.withLock { $0[notification.id] = .now }
            return notification
        }
    }

    fileprivate final class Starts: Sendable {
        let byID = Guarded<[APNSID: ContinuousClock.Instant]>([:])
    }
}
