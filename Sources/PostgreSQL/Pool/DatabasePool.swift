package import Networking
internal import Platform

/// A bounded number of connections to one database, and a bounded queue for them.
///
///     var batch = Batch(writes: true)
///     batch.add(Statement("UPDATE shard SET owner = $1 WHERE shard = $2"), .bytes(owner), .int64(7))
///     let results = try await pool.run(batch, within: .seconds(5))
///
/// A call ends by its deadline, and when its task is cancelled: one that waits leaves the queue, one that runs loses its
/// connection, and another one ends the session that is left. libpq's own cancel blocks and is not encrypted.
///
/// Unchecked Sendable: all state belongs to the loop, on which each private method runs.
package final class DatabasePool: @unchecked Sendable {
    private let loop: EventLoop
    private let url: DatabaseURL
    private let limits: PoolLimits
    private let settings: SessionSettings
    private let timeline = TimelineMark()
    private var isClosed = false
    private var waiting = RingBuffer<PoolCall>()
    private var running: [PoolCall] = []
    private var idle: [ServerConnection] = []
    private var connectors: [ServerConnector] = []
    /// Abandoned sessions. Without an end they would fill the server: one that waits for a standby sees no timeout, and
    /// not that its client is gone.
    private var strays: [Int32] = []
    private var isEndingStrays = false
    /// Wait before the next connect, after a failed one.
    private var backOff: Duration?
    private var backOffTimer: LoopTimer?

    package init(
        _ url: DatabaseURL,
        on loop: EventLoop,
        limits: PoolLimits = PoolLimits(),
        settings: SessionSettings = SessionSettings()
    ) {
        self.url = url
        self.loop = loop
        self.limits = limits
        self.settings = settings
    }

    /// Runs a batch as one transaction.
    ///
    /// - Returns: a result for each statement.
    package func run(_ batch: Batch, within deadline: Duration) async throws(PostgreSQLError) -> [QueryResult] {
        let submitted = Guarded<LoopBound<PoolCall>?>(nil)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<PoolCall.Outcome, Never>) in
                let call = LoopBound(PoolCall(batch) { continuation.resume(returning: $0) }, to: loop)
                submitted.withLock { $0 = call }
                loop.perform { [self] in submit(call.value, within: deadline) }
                // The handler may have run before it had a call to cancel.
                if Task.isCancelled { cancel(call) }
            }
        } onCancel: {
            if let call = submitted.withLock({ $0 }) { cancel(call) }
        }
        return try result.get()
    }

    /// Hears one channel of the same database, on a connection of its own.
    ///
    /// - Parameters: as the listener's.
    package func listener(
        _ listen: Statement,
        _ handler: @escaping @Sendable (NotificationListener.Event) -> Void
    ) -> NotificationListener {
        NotificationListener(url, listen: listen, on: loop, settings: settings, handler)
    }

    /// Ends all calls and connections; later calls fail.
    package func close() async {
        await loop.run { [self] in
            isClosed = true
            backOffTimer?.cancel()
            for connector in connectors { connector.cancel() }
            connectors = []
            failWaiting(.notDone(.closed))
            for connection in idle { connection.close(.closed) }
            for call in running { abandon(call, .closed) }
        }
    }

    // MARK: Calls

    private func submit(_ call: PoolCall, within deadline: Duration) {
        guard !call.isDone else { return }
        guard !isClosed, !loop.isStopping else { return call.complete(.failure(.notDone(.closed))) }
        guard waiting.count < limits.waitingCountMax else {
            return call.complete(.failure(.overloaded(.queueFull(countMax: limits.waitingCountMax))))
        }
        call.timer = loop.schedule(after: deadline) { [self] in abandon(call, .deadlineExceeded) }
        waiting.append(call)
        serve()
    }

    private func cancel(_ call: LoopBound<PoolCall>) {
        loop.perform { [self] in abandon(call.value, .cancelled) }
    }

    private func abandon(_ call: PoolCall, _ reason: PostgreSQLError.Reason) {
        if let connection = call.connection {
            if !call.isOwn { strays.append(connection.backendID) }
            connection.close(reason)
            return endStrays()
        }
        _ = waiting.removeAll { $0 === call }
        call.complete(.failure(.notDone(reason)))
    }

    private func serve() {
        while !waiting.isEmpty, let connection = idle.popLast(), let call = waiting.popFirst() {
            start(call, on: connection)
        }
        while waiting.count > connectors.count, backOffTimer == nil, !isClosed,
            connectionCount < limits.connectionCountMax
        {
            connect()
        }
    }

    private func start(_ call: PoolCall, on connection: ServerConnection) {
        call.connection = connection
        running.append(call)
        connection.run(call.batch) { [self] result in
            running.removeAll { $0 === call }
            if !connection.isClosed { idle.append(connection) }
            call.complete(result)
            serve()
        }
    }

    private static let strayCountMax = 256
    private static let strayDeadline = Duration.seconds(5)
    private static let endSessions: Statement = """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE pid::int8 = ANY ($1) AND usename = current_user AND application_name = $2
        """

    /// Ends sessions from another one. A server that hangs keeps them; they are forgotten then.
    private func endStrays() {
        guard !strays.isEmpty, !isEndingStrays, !isClosed else { return }
        var batch = Batch(writes: false)
        batch.add(
            Self.endSessions,
            .int64s(strays.suffix(Self.strayCountMax).map(Int64.init)),
            .text(settings.applicationName)
        )
        strays = []
        isEndingStrays = true
        let call = PoolCall(batch, isOwn: true) { [self] _ in
            isEndingStrays = false
            endStrays()
        }
        call.timer = loop.schedule(after: Self.strayDeadline) { [self] in abandon(call, .deadlineExceeded) }
        waiting.prepend(call)
        serve()
    }

    private func failWaiting(_ error: PostgreSQLError) {
        while let call = waiting.popFirst() { call.complete(.failure(error)) }
    }

    // MARK: Connections

    private var connectionCount: Int { idle.count + running.count + connectors.count }

    private func connect() {
        let connector = ServerConnector(loop: loop, url: url, settings: settings, timeline: timeline)
        connectors.append(connector)
        connector.connect { [self] result in
            connectors.removeAll { $0 === connector }
            switch result {
            case .success(let connection): didConnect(connection)
            case .failure(let error): didNotConnect(error)
            }
        }
    }

    private func didConnect(_ connection: ServerConnection) {
        backOff = nil
        connection.onClose = { [self] _ in
            idle.removeAll { $0 === connection }
            serve()
        }
        idle.append(connection)
        serve()
    }

    /// Calls wait on where other connections serve them, as when the server takes no more.
    private func didNotConnect(_ error: PostgreSQLError) {
        if idle.isEmpty, running.isEmpty, connectors.isEmpty { failWaiting(error) }
        guard backOffTimer == nil, !isClosed else { return }
        let wait = backOff.map { min($0 * 2, limits.backOff.upperBound) } ?? limits.backOff.lowerBound
        backOff = wait
        backOffTimer = loop.schedule(after: wait) { [self] in
            backOffTimer = nil
            serve()
        }
    }
}
