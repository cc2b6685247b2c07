import Envelope
import Platform
import Primitives

/// Takes receipts from opened messages to their sender, beside everything else: no answer ever waits for one.
final class ReceiptCourier: Sendable {
    /// So that a relay which sees both cannot tell which push a receipt belongs to by when it comes.
    private static let delayMillisecondsMax: UInt64 = 5_000

    private struct Errand {
        let work: Task<Void, Never>
        let limit: Task<Void, Never>
    }

    private struct State {
        var errands: [UInt64: Errand] = [:]
        var nextNumber: UInt64 = 0
    }

    private let spool: ReceiptSpool
    private let sender: (any ReceiptSender)?
    private let surroundings: DeliverySurroundings
    private let state = Guarded(State())

    /// - Parameters:
    ///   - spool: where unsent ones stay.
    ///   - sender: nil where only the app sends.
    ///   - surroundings: clock, threads and chance.
    init(spool: ReceiptSpool, sender: (any ReceiptSender)?, surroundings: DeliverySurroundings) {
        self.spool = spool
        self.sender = sender
        self.surroundings = surroundings
    }

    /// Keeps the receipt on disk, then tries to send it. Waits for the disk, so it belongs behind the answer.
    ///
    /// - Parameters:
    ///   - receipt: of a message that was opened.
    ///   - now: the device's clock.
    ///   - budget: after which it is left to the app.
    func keep(_ receipt: DeliveryReceipt, now: Timestamp, budget: Duration) {
        var random = SystemRandom()
        // Not kept, it is not sent either: whoever waits for a receipt knows that its absence says nothing.
        do throws(ContainerError) { try spool.add(receipt, now: now, random: &random) } catch { return }
        guard let sender else { return }
        let delay = Duration.milliseconds(surroundings.randomNumber() % (Self.delayMillisecondsMax + 1))
        guard delay < budget else { return }
        start(
            after: surroundings.alarm(after: delay),
            limit: surroundings.alarm(after: budget)
        ) { [self] in try await send(receipt, by: sender) }
    }

    /// iOS takes the time away.
    func stop() {
        let errands = state.withLock { state in
            defer { state.errands = [:] }
            return Array(state.errands.values)
        }
        for errand in errands {
            errand.work.cancel()
            errand.limit.cancel()
        }
    }

    private func start(
        after delay: @escaping @Sendable () async throws -> Void,
        limit: @escaping @Sendable () async throws -> Void,
        _ send: @escaping @Sendable () async throws -> Void
    ) {
        state.withLock { state in
            let number = state.nextNumber
            state.nextNumber += 1
            // Made under the lock, so that an errand is known before it can end.
            let work = surroundings.task { [self] in
                // Whatever goes wrong, the receipt is on disk, and it is the app's turn.
                do { try await delay() } catch { return end(number) }
                do { try await send() } catch { return end(number) }
                end(number)
            }
            let limit = surroundings.task {
                // Cancelled: it was sent, or stopped with the work itself.
                do { try await limit() } catch { return }
                work.cancel()
            }
            state.errands[number] = Errand(work: work, limit: limit)
        }
    }

    private func send(_ receipt: DeliveryReceipt, by sender: any ReceiptSender) async throws {
        // The app may have been quicker, while iOS had this process asleep.
        let isUnsent = await fromDisk { spool throws(ContainerError) in try spool.all().contains(receipt) }
        guard isUnsent == true else { return }
        try await sender.send([receipt])
        // Not removed, it is sent again by the app; that is said to be harmless.
        await fromDisk { spool throws(ContainerError) in try spool.remove([receipt]) }
    }

    /// - Returns: nil where the disk refused.
    @discardableResult
    private func fromDisk<Result: Sendable>(
        _ body: @escaping @Sendable (ReceiptSpool) throws(ContainerError) -> Result
    ) async -> Result? {
        await surroundings.resultFromThread { [spool] in
            do throws(ContainerError) { return try body(spool) } catch { return nil }
        }
    }

    private func end(_ number: UInt64) {
        state.withLock { $0.errands.removeValue(forKey: number) }?.limit.cancel()
    }
}
