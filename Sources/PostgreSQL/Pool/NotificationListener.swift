package import Networking

/// Hears what other sessions say by NOTIFY on one channel, on a connection of its own.
///
/// A hint alone: what is said while it connects is lost, and under load a notification took 86 ms at the 99th
/// percentile. Read the tables on `.listening`, and poll.
///
/// Unchecked Sendable: all state belongs to the loop, on which each private method runs.
package final class NotificationListener: @unchecked Sendable {
    package enum Event: Equatable, Sendable {
        /// Hears from now on.
        case listening
        case notified(String)
        /// Hears nothing until it is connected again, which it tries.
        case lost(PostgreSQLError)
    }

    private static let backOff: ClosedRange<Duration> = .milliseconds(50)...(.seconds(1))
    /// A server that takes the connection and says nothing.
    private static let deadline = Duration.seconds(5)

    private let loop: EventLoop
    private let url: DatabaseURL
    private let settings: SessionSettings
    private let timeline = TimelineMark()
    private let listen: Statement
    private let handler: @Sendable (Event) -> Void
    private var connector: ServerConnector?
    private var connection: ServerConnection?
    private var timer: LoopTimer?
    private var wait = backOff.lowerBound
    private var isClosed = false

    /// - Parameters:
    ///   - listen: `LISTEN channel`.
    ///   - handler: called on the loop; it must only pass the event on.
    package init(
        _ url: DatabaseURL,
        listen: Statement,
        on loop: EventLoop,
        settings: SessionSettings = SessionSettings(),
        _ handler: @escaping @Sendable (Event) -> Void
    ) {
        self.url = url
        self.loop = loop
        self.settings = settings
        self.listen = listen
        self.handler = handler
        loop.perform { [self] in connect() }
    }

    package func close() async {
        await loop.run { [self] in
            isClosed = true
            timer?.cancel()
            connector?.cancel()
            connector = nil
            connection?.close(.closed)
        }
    }

    private func connect() {
        guard !isClosed else { return }
        let connector = ServerConnector(loop: loop, url: url, settings: settings, timeline: timeline)
        self.connector = connector
        connector.connect { [self] result in
            self.connector = nil
            switch result {
            case .success(let connection): start(connection)
            case .failure(let error): didLose(error)
            }
        }
    }

    private func start(_ connection: ServerConnection) {
        self.connection = connection
        connection.onClose = { [self] error in
            self.connection = nil
            didLose(error)
        }
        connection.onNotification = { [self] _, payload in handler(.notified(payload)) }
        timer = loop.schedule(after: Self.deadline) { connection.close(.deadlineExceeded) }
        var batch = Batch(writes: false)
        batch.add(listen)
        connection.run(batch) { [self] result in
            timer?.cancel()
            switch result {
            case .success:
                wait = Self.backOff.lowerBound
                handler(.listening)
            case .failure(let error): connection.close(error.reason)
            }
        }
    }

    private func didLose(_ error: PostgreSQLError) {
        guard !isClosed else { return }
        handler(.lost(error))
        timer = loop.schedule(after: wait) { [self] in connect() }
        wait = min(wait * 2, Self.backOff.upperBound)
    }
}
