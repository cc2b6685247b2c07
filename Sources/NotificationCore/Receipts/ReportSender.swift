import Platform

/// Sends an extension's reports in the background; no answer waits for one.
///
/// Asks for time before the content handler is called: iOS may then suspend the process. One job at a time sends all
/// reports on disk; the rest goes with the next push or by the app.
final class ReportSender: Sendable {
    /// Random delay, so that a relay that sees both cannot link receipt and push by time.
    static let delayMillisecondsMax: UInt64 = 2_000
    /// Limit from the answer to the end of sending.
    static let durationMax = Duration.seconds(5)

    private struct Job {
        let work: Task<Void, Never>
        let limit: Task<Void, Never>
        /// True if a push was answered since the last disk read.
        var isOutdated = false
        var activities: [ExpiringActivity]
    }

    private struct State {
        var job: Job?
        /// False once all on disk was sent. An earlier process may have left reports.
        var mayHaveUnsent = true
        /// Receipts whose content handler was not called yet.
        var heldReceipts: Set<DeliveryReceipt> = []
    }

    /// One for each account.
    private let reports: [RelayReports]
    private let relay: any Relay
    private let surroundings: DeliverySurroundings
    private let state = Guarded(State())

    private static let kept = Guarded<[[ReceiptSpool]: ReportSender]>([:])

    /// Process's sender of these reports: iOS makes an extension object per push, and jobs of several would send the
    /// same ones. On a simulated device each object's own.
    static func ofProcess(
        _ reports: [RelayReports],
        to relay: any Relay,
        _ surroundings: DeliverySurroundings
    ) -> ReportSender {
        guard surroundings.isMachineTime else {
            return ReportSender(reports: reports, relay: relay, surroundings: surroundings)
        }
        return kept.withLock { kept in
            let spools = reports.map(\.receipts)
            if let sender = kept[spools] { return sender }
            let sender = ReportSender(reports: reports, relay: relay, surroundings: surroundings)
            kept[spools] = sender
            return sender
        }
    }

    private init(reports: [RelayReports], relay: any Relay, surroundings: DeliverySurroundings) {
        self.reports = reports
        self.relay = relay
        self.surroundings = surroundings
    }

    /// Notes a report before it is written.
    ///
    /// - Parameter receipt: held back until the content handler was called.
    func noteReport(holding receipt: DeliveryReceipt?) {
        state.withLock { state in
            state.mayHaveUnsent = true
            if let receipt { state.heldReceipts.insert(receipt) }
        }
    }

    /// Asks for process time if there may be reports. Call it before the content handler.
    func prepare() -> ExpiringActivity? {
        guard state.withLock({ $0.mayHaveUnsent }) else { return nil }
        return ExpiringActivity { [weak self] in self?.stop() }
    }

    /// Starts sending. Call it after the content handler.
    func start(_ activity: ExpiringActivity?, releasing receipt: DeliveryReceipt?) {
        if let receipt { state.withLock { _ = $0.heldReceipts.remove(receipt) } }
        guard let activity else { return }
        let delay = Duration.milliseconds(surroundings.randomNumber() % (Self.delayMillisecondsMax + 1))
        let (delayEnd, limit) = (surroundings.alarm(after: delay), surroundings.alarm(after: Self.durationMax))
        state.withLock { state in
            guard state.job == nil else {
                state.job?.isOutdated = true
                state.job?.activities.append(activity)
                return
            }
            // Under the lock, so that the job is set before it ends.
            let work = surroundings.task { [self] in
                do {
                    try await delayEnd()
                } catch {
                    end(hasFailed: true)
                    return
                }
                await sendAll()
            }
            let limit = surroundings.task {
                do { try await limit() } catch { return }
                work.cancel()
            }
            state.job = Job(work: work, limit: limit, activities: [activity])
        }
    }

    func stop() { state.withLock { $0.job }?.work.cancel() }

    private func sendAll() async {
        repeat {
            let held = state.withLock { state in
                state.job?.isOutdated = false
                state.mayHaveUnsent = !state.heldReceipts.isEmpty
                return state.heldReceipts
            }
            do {
                for reports in reports {
                    try await reports.send(to: relay, from: .extension, holding: held, surroundings: surroundings)
                }
            } catch {
                end(hasFailed: true)
                return
            }
        } while !end(hasFailed: false)
    }

    /// - Returns: false for an outdated job, which runs again.
    @discardableResult
    private func end(hasFailed: Bool) -> Bool {
        let ended = state.withLock { state -> Job? in
            guard hasFailed || state.job?.isOutdated == false else { return nil }
            defer { state.job = nil }
            if hasFailed { state.mayHaveUnsent = true }
            return state.job
        }
        ended?.limit.cancel()
        for activity in ended?.activities ?? [] { activity.end() }
        return ended != nil
    }
}
