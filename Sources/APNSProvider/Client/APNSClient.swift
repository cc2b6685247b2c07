public import APNS
import Synchronization
package import Transport

/// Sends pushes with one credential to one endpoint: a lane. It connects when there is something to send, and keeps as
/// many connections as that needs.
///
/// From any task; one that prefers `taskExecutor` saves a thread switch for each push.
public final class APNSClient: Sendable {
    /// Where its pushes go.
    public let endpoint: APNSEndpoint
    package let loop: EventLoop
    private let configuration: APNSClientConfiguration
    let pool: LoopBound<ConnectionPool>
    private let nextDeliveryID = Atomic<UInt64>(0)

    /// Connects to nobody yet.
    ///
    /// - Parameters:
    ///   - endpoint: Apple's, or a simulator's.
    ///   - credential: who pushes.
    ///   - configuration: trust, deadlines, how much at once.
    /// - Throws: `.tls` for authorities that cannot be read, `.certificate` for one that cannot be used here, `.system` when there is no thread to be had.
    public init(
        endpoint: APNSEndpoint,
        credential: APNSCredential,
        configuration: APNSClientConfiguration = APNSClientConfiguration()
    ) throws(ProviderError) {
        let lane = try LaneCredential(
            credential,
            for: endpoint,
            trust: configuration.trust,
            clock: configuration.clock
        )
        loop = try configuration.loopOrNew()
        self.endpoint = endpoint
        self.configuration = configuration
        let pool = ConnectionPool(loop: loop, endpoint: endpoint, credential: lane, configuration: configuration)
        self.pool = LoopBound(pool, to: loop)
    }

    /// The thread that the connections live on, for `Task(executorPreference:)`. What runs there must not block.
    public var taskExecutor: any TaskExecutor { loop }

    deinit { end(gracefully: true) {} }

    // MARK: Sending

    /// Sends one push and waits for APNs's answer, and before that, when all streams are taken, for its turn.
    ///
    /// - Returns: the answer, a refusal included.
    /// - Throws: every case but `.queueFull`.
    public func send(_ notification: PushNotification) async throws(ProviderError) -> APNSResponse {
        try await send(notification, waitingCountMax: .max)
    }

    /// Sends one push, unless as many as `waitingCountMax` says wait already.
    ///
    /// - Returns: the answer, a refusal included.
    /// - Throws: `.queueFull` at once, and every other case.
    public func trySend(_ notification: PushNotification) async throws(ProviderError) -> APNSResponse {
        try await send(notification, waitingCountMax: configuration.waitingCountMax)
    }

    private func send(
        _ notification: PushNotification,
        waitingCountMax: Int
    ) async throws(ProviderError) -> APNSResponse {
        let id = nextDeliveryID.add(1, ordering: .relaxed).newValue
        // Off the loop, a cancellation may overtake the push on its way there; on the loop it cannot.
        let ticket = loop.isOnLoop ? nil : Ticket()
        let result: Result<APNSResponse, ProviderError> = await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { (continuation: DeliveryContinuation) in
                guard let ticket else {
                    guard !Task.isCancelled else {
                        return unsafe continuation.resume(returning: .failure(.cancelled(mayHaveBeenSent: false)))
                    }
                    return unsafe pool.value.send(id, notification, .one(continuation), waitingCountMax)
                }
                let pool = pool
                loop.perform {
                    guard !ticket.isCancelled.load(ordering: .relaxed) else {
                        return unsafe continuation.resume(returning: .failure(.cancelled(mayHaveBeenSent: false)))
                    }
                    unsafe pool.value.send(id, notification, .one(continuation), waitingCountMax)
                }
            }
        } onCancel: {
            ticket?.isCancelled.store(true, ordering: .relaxed)
            let pool = pool
            loop.perform { pool.value.cancel(id..<id + 1) }
        }
        return try result.get()
    }

    /// Sends one push and calls back: for who lives on this loop anyway, and has neither a task nor a hop for each push.
    ///
    /// On the loop only. Only `takeBack` takes the push back.
    ///
    /// - Parameters:
    ///   - notification: the push.
    ///   - deadline: from now to the answer; the configuration's where that is shorter.
    ///   - completion: called once, on the loop, perhaps before this returns.
    package func send(
        _ notification: PushNotification,
        within deadline: Duration,
        completion: @escaping (Result<APNSResponse, ProviderError>) -> Void
    ) {
        let id = nextDeliveryID.add(1, ordering: .relaxed).newValue
        pool.value.send(id, notification, .closure(completion), within: min(deadline, configuration.deadline))
    }

    /// Room for pushes that are not here yet. On the loop only.
    package var room: ClientRoom { pool.value.room }

    /// Connects, and grows, for pushes that `room` has kept with their sender; `onRoom` tells when to look again. On the
    /// loop only.
    package func want(_ count: Int) { pool.value.want(count) }

    /// Ends what waits here for its turn: `.closed`, `.notProcessed` after an attempt, or `.ambiguous`. On the loop only.
    package func giveBack() { pool.value.failWaiting(.closed) }

    /// Ends what waits here for its turn with `.cancelled`, which says of each whether an earlier attempt was sent. What is
    /// on its way has its answer.
    ///
    /// On the loop only.
    ///
    /// - Parameter matches: which pushes.
    package func takeBack(where matches: (PushNotification) -> Bool) { pool.value.takeBack(where: matches) }

    /// Sends many pushes and waits for all of their answers: one hop to the loop and one back for all of them.
    ///
    /// - Returns: as many results as pushes, in their order.
    public func send(_ notifications: [PushNotification]) async -> [Result<APNSResponse, ProviderError>] {
        guard !notifications.isEmpty else { return [] }
        let pool = pool
        let first = nextDeliveryID.add(UInt64(notifications.count), ordering: .relaxed).oldValue + 1
        let ids = first..<first + UInt64(notifications.count)
        // A cancellation may overtake the pushes on their way to the loop.
        let ticket = Ticket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.perform {
                    let batch = DeliveryBatch(count: notifications.count) { continuation.resume(returning: $0) }
                    for (index, notification) in notifications.enumerated() {
                        if ticket.isCancelled.load(ordering: .relaxed) {
                            batch.didFinish(index, .failure(.cancelled(mayHaveBeenSent: false)))
                        } else {
                            pool.value.send(first + UInt64(index), notification, .batch(batch, index))
                        }
                    }
                }
            }
        } onCancel: {
            ticket.isCancelled.store(true, ordering: .relaxed)
            loop.perform { pool.value.cancel(ids) }
        }
    }

    /// Sends one push of a run, which takes its answer.
    func send(_ notification: PushNotification, telling run: APNSResponseRun) {
        let id = nextDeliveryID.add(1, ordering: .relaxed).newValue
        let pool = pool
        loop.perform { pool.value.send(id, notification, .run(run, notification.id)) }
    }

    private final class Ticket: Sendable {
        let isCancelled = Atomic(false)
    }

    // MARK: The lane

    /// Why nothing is sent at present; nil: pushes are sent.
    public var suspension: Reason? {
        get async {
            let pool = pool
            return await loop.run { pool.value.lane.suspension }
        }
    }

    /// Pushes that have not been sent yet.
    public var waitingCount: Int {
        get async {
            let pool = pool
            return await loop.run { pool.value.deliveries.waitingCount }
        }
    }

    /// Whether `close` has been called.
    public var isClosed: Bool {
        get async {
            let pool = pool
            return await loop.run { pool.value.isClosed }
        }
    }

    /// After a suspension, when what was wrong at Apple's side has been mended.
    public func resume() async {
        let pool = pool
        await loop.run { pool.value.resume() }
    }

    /// Uses another credential from now on. Every connection of the old one takes no more pushes and closes once those
    /// in flight have their answers; a suspension ends.
    ///
    /// - Throws: as `init`; the old credential then stays.
    public func replaceCredential(_ credential: APNSCredential) async throws(ProviderError) {
        let lane = try LaneCredential(
            credential,
            for: endpoint,
            trust: configuration.trust,
            clock: configuration.clock
        )
        let pool = pool
        await loop.run { pool.value.replace(lane) }
    }

    // MARK: Ending

    /// Takes no more pushes, and returns when those that were taken have their answers (or at once, and they fail).
    public func close(gracefully: Bool = true) async {
        await withCheckedContinuation { continuation in
            end(gracefully: gracefully) { continuation.resume() }
        }
    }

    private func end(gracefully: Bool, completion: @escaping @Sendable () -> Void) {
        let pool = pool
        let ownLoop = configuration.loop == nil ? loop : nil
        loop.perform {
            pool.value.close(gracefully: gracefully) {
                ownLoop?.stopLater()
                completion()
            }
        }
    }
}
