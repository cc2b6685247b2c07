import Platform

/// Sends an extension's reports beside everything else: no answer ever waits for one.
///
/// The process is asked to go on before the content handler is called, because iOS may suspend it right after; sending
/// begins once the handler has returned. One errand at a time sends all that is on disk, reports of earlier pushes too. What
/// it could not send goes with the next push, or by the app.
final class ReportCourier: Sendable {
    /// So that a relay which sees both cannot tell which push a receipt belongs to by when it comes.
    static let delayMillisecondsMax: UInt64 = 2_000
    /// From the answer to the end of sending.
    static let durationMax = Duration.seconds(5)

    private struct Errand {
        let work: Task<Void, Never>
        let limit: Task<Void, Never>
        /// Whether a push was answered since it last looked at the disk.
        var isOutdated = false
        var activities: [ExpiringActivity]
    }

    private struct State {
        var errand: Errand?
        /// False once all that was on disk has been sent. Unknown at first: an earlier process may have left something.
        var mayHaveUnsent = true
        /// Receipts of messages whose content handler was not called yet.
        var heldReceipts: Set<DeliveryReceipt> = []
    }

    private let reports: RelayReports
    private let relay: any Relay
    private let surroundings: DeliverySurroundings
    private let state = Guarded(State())

    /// - Parameters:
    ///   - reports: where unsent ones stay.
    ///   - relay: where to.
    ///   - surroundings: clock, threads and chance.
    init(reports: RelayReports, relay: any Relay, surroundings: DeliverySurroundings) {
        self.reports = reports
        self.relay = relay
        self.surroundings = surroundings
    }

    /// A report is about to be on the disk.
    ///
    /// - Parameter receipt: not to be sent before the content handler was called; nil for a report that has not to wait.
    func noteReport(holding receipt: DeliveryReceipt?) {
        state.withLock { state in
            state.mayHaveUnsent = true
            if let receipt { state.heldReceipts.insert(receipt) }
        }
    }

    /// Asks for time, if there may be something to send. To be called before the content handler.
    ///
    /// - Returns: nil where there is nothing to send.
    func prepare() -> ExpiringActivity? {
        guard state.withLock({ $0.mayHaveUnsent }) else { return nil }
        return ExpiringActivity { [weak self] in self?.stop() }
    }

    /// Begins to send. To be called after the content handler.
    ///
    /// - Parameters:
    ///   - activity: from `prepare`; nil sends nothing.
    ///   - receipt: of the message that was answered.
    func start(_ activity: ExpiringActivity?, releasing receipt: DeliveryReceipt?) {
        if let receipt { state.withLock { _ = $0.heldReceipts.remove(receipt) } }
        guard let activity else { return }
        let delay = Duration.milliseconds(surroundings.randomNumber() % (Self.delayMillisecondsMax + 1))
        let (delayEnd, limit) = (surroundings.alarm(after: delay), surroundings.alarm(after: Self.durationMax))
        state.withLock { state in
            guard state.errand == nil else {
                state.errand?.isOutdated = true
                state.errand?.activities.append(activity)
                return
            }
            // Made under the lock, so that the errand is known before it can end.
            let work = surroundings.task { [self] in
                // Cancelled: what is on disk stays there.
                do {
                    try await delayEnd()
                } catch {
                    end(hasFailed: true)
                    return
                }
                await sendAll()
            }
            let limit = surroundings.task {
                // Cancelled: the errand has ended.
                do { try await limit() } catch { return }
                work.cancel()
            }
            state.errand = Errand(work: work, limit: limit, activities: [activity])
        }
    }

    /// iOS takes the time away.
    func stop() { state.withLock { $0.errand }?.work.cancel() }

    private func sendAll() async {
        repeat {
            let held = state.withLock { state in
                state.errand?.isOutdated = false
                state.mayHaveUnsent = !state.heldReceipts.isEmpty
                return state.heldReceipts
            }
            do {
                try await reports.send(to: relay, from: .extension, holding: held, surroundings: surroundings)
            } catch {
                end(hasFailed: true)
                return
            }
        } while !end(hasFailed: false)
    }

    /// - Returns: whether the errand is over; one that is outdated goes on.
    @discardableResult
    private func end(hasFailed: Bool) -> Bool {
        let ended = state.withLock { state -> Errand? in
            guard hasFailed || state.errand?.isOutdated == false else { return nil }
            defer { state.errand = nil }
            if hasFailed { state.mayHaveUnsent = true }
            return state.errand
        }
        ended?.limit.cancel()
        for activity in ended?.activities ?? [] { activity.end() }
        return ended != nil
    }
}
