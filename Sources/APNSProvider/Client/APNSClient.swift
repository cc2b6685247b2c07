public import APNS
package import Networking
import Platform
import Synchronization

/// Sends pushes with one credential to one endpoint, and opens connections as needed.
///
/// Callable from any task; one that prefers `taskExecutor` saves a thread switch a push.
public final class APNSClient: Sendable {
    /// Server for the pushes.
    public let endpoint: APNSEndpoint
    package let loop: EventLoop
    private let configuration: APNSClientConfiguration
    let pool: LoopBound<ConnectionPool>
    private let nextDeliveryID = Atomic<UInt64>(0)

    /// Makes a client; it connects with the first push.
    ///
    /// - Parameters:
    ///   - endpoint: Apple's, or a simulator's.
    ///   - credential: Signing key or a certificate.
    ///   - configuration: Trust, proxy, deadlines and the pool.
    /// - Throws: `.tls` for unreadable authorities, `.certificate` for an unsuitable one, `.system` without a thread.
    public init(
        endpoint: APNSEndpoint,
        credential: APNSCredential,
        configuration: APNSClientConfiguration = APNSClientConfiguration()
    ) throws(ProviderError) {
        let lane = try PoolCredential(
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

    /// For `Task(executorPreference:)`. Code on it must not block.
    public var taskExecutor: any TaskExecutor { loop }

    deinit { end(gracefully: true) {} }

    // MARK: Sending

    /// Sends one push; if all streams are taken, it waits for its turn.
    ///
    /// - Throws: Any case except `.queueFull`.
    public func send(_ notification: PushNotification) async throws(ProviderError) -> APNSResponse {
        try await send(notification, waitingCountMax: .max)
    }

    /// Sends one push, unless `waitingCountMax` pushes already wait.
    ///
    /// - Throws: Any case, `.queueFull` at once.
    public func trySend(_ notification: PushNotification) async throws(ProviderError) -> APNSResponse {
        try await send(notification, waitingCountMax: configuration.waitingCountMax)
    }

    private func send(
        _ notification: PushNotification,
        waitingCountMax: Int
    ) async throws(ProviderError) -> APNSResponse {
        let id = nextDeliveryID.add(1, ordering: .relaxed).newValue
        // Off the loop, a cancellation may overtake the push.
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

    /// Sends one push without a task or a hop. On the loop only. Only `takeBack` cancels it.
    ///
    /// - Parameters:
    ///   - deadline: Configuration's if that is shorter.
    ///   - completion: Called once, on the loop, perhaps before this returns.
    package func send(
        _ notification: PushNotification,
        within deadline: Duration,
        completion: @escaping (Result<APNSResponse, ProviderError>) -> Void
    ) {
        let id = nextDeliveryID.add(1, ordering: .relaxed).newValue
        pool.value.send(id, notification, .closure(completion), within: min(deadline, configuration.deadline))
    }

    /// On the loop only.
    package var room: ClientRoom { pool.value.room }

    /// Connects and grows for pushes that wait at their sender. On the loop only.
    package func want(_ count: Int) { pool.value.want(count) }

    /// Bounds the connections from now on, in the configuration's place; those beyond it close after their pushes. On
    /// the loop only.
    package func limitConnections(to countMax: Int) { pool.value.limitConnections(to: countMax) }

    /// Ends waiting pushes: `.closed`, `.notProcessed` after an attempt, or `.ambiguous`. On the loop only.
    package func giveBack() { pool.value.failWaiting(.closed) }

    /// Ends matching waiting pushes with `.cancelled`; those in flight get their answers. On the loop only.
    package func takeBack(where matches: (PushNotification) -> Bool) { pool.value.takeBack(where: matches) }

    /// Sends many pushes with one hop to the loop and one back, and waits for all answers.
    ///
    /// - Returns: One for each push, in order.
    public func send(_ notifications: [PushNotification]) async -> [Result<APNSResponse, ProviderError>] {
        guard !notifications.isEmpty else { return [] }
        let pool = pool
        let first = nextDeliveryID.add(UInt64(notifications.count), ordering: .relaxed).oldValue + 1
        let ids = first..<first + UInt64(notifications.count)
        // A cancellation may overtake the pushes.
        let ticket = Ticket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.perform {
                    let batch = DeliveryBatch(count: notifications.count) { continuation.resume(returning: $0) }
                    let pool = pool.value
                    for index in notifications.indices {
                        if ticket.isCancelled.load(ordering: .relaxed) {
                            batch.didFinish(index, .failure(.cancelled(mayHaveBeenSent: false)))
                        } else {
                            pool.send(first + UInt64(index), notifications[index], .batch(batch, index))
                        }
                    }
                }
            }
        } onCancel: {
            ticket.isCancelled.store(true, ordering: .relaxed)
            loop.perform { pool.value.cancel(ids) }
        }
    }

    func send(_ notification: PushNotification, telling run: APNSResponseRun) {
        let id = nextDeliveryID.add(1, ordering: .relaxed).newValue
        let pool = pool
        loop.perform { pool.value.send(id, notification, .run(run, notification.id)) }
    }

    private final class Ticket: Sendable {
        let isCancelled = Atomic(false)
    }

    // MARK: State

    /// nil while pushes are sent.
    public var suspension: Reason? {
        get async {
            let pool = pool
            return await loop.run { pool.value.lane.suspension }
        }
    }

    /// Pushes not sent yet.
    public var waitingCount: Int {
        get async {
            let pool = pool
            return await loop.run { pool.value.deliveries.waitingCount }
        }
    }

    /// True after `close`.
    public var isClosed: Bool {
        get async {
            let pool = pool
            return await loop.run { pool.value.isClosed }
        }
    }

    /// Ends a suspension, once its cause was mended at Apple.
    public func resume() async {
        let pool = pool
        await loop.run { pool.value.resume() }
    }

    /// Replaces the credential and ends a suspension. Old connections close after their answers.
    ///
    /// - Throws: As `init`; the old credential then stays.
    public func replaceCredential(_ credential: APNSCredential) async throws(ProviderError) {
        let lane = try PoolCredential(
            credential,
            for: endpoint,
            trust: configuration.trust,
            clock: configuration.clock
        )
        let pool = pool
        await loop.run { pool.value.replace(lane) }
    }

    // MARK: Ending

    /// Takes no more pushes; waits for earlier answers, or fails those pushes at once.
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
