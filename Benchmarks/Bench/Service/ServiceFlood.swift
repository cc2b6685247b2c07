import Networking
import Platform

/// Posts at a fixed rate, whatever the answers, at little cost: the POSTs of a millisecond go to one connection in one
/// piece. POSTs that the relay does not take, because it lags with answers or does not read, are counted and not sent.
/// Lives on one loop.
final class ServiceFlood {
    private static let period = Duration.milliseconds(1)
    /// Maximum of one piece to one connection.
    private static let pieceCountMax = 64

    private let loop: EventLoop
    private let tally: ServiceTally
    private let connections: [FloodConnection]
    private var nextConnection = 0
    private var pace: FloodPace?
    private var onEnd: (() -> Void)?

    private init(_ loop: EventLoop, _ tally: ServiceTally, _ connections: [FloodConnection]) {
        self.loop = loop
        self.tally = tally
        self.connections = connections
    }

    /// Connects.
    ///
    /// - Returns: A flood that has to be closed.
    static func connect(
        _ driver: ServiceDriver,
        _ load: ServiceLoad,
        _ tally: ServiceTally,
        _ context: TLSContext
    ) async throws(TransportError) -> LoopBound<ServiceFlood> {
        let (loop, port, head) = (driver.loop, driver.target.port, driver.request("/v1/notifications"))
        let flood = await loop.run {
            let connections = (0..<load.connectionCount).map { _ in FloodConnection(loop, head, load, tally) }
            return LoopBound(ServiceFlood(loop, tally, connections), to: loop)
        }
        for index in 0..<load.connectionCount {
            let failure: TransportError? = await withCheckedContinuation { continuation in
                loop.perform {
                    flood.value.connections[index].connect(to: port, context) { continuation.resume(returning: $0) }
                }
            }
            guard let failure else { continue }
            await close(flood)
            throw failure
        }
        return flood
    }

    /// Posts until everything is given out and has its answers or can have none. Cancelling the task aborts begun
    /// requests.
    static func post(_ flood: LoopBound<ServiceFlood>, perSecond rate: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                flood.loop.perform { flood.value.begin(rate) { continuation.resume() } }
            }
        } onCancel: {
            flood.loop.perform { for connection in flood.value.connections { connection.close(gracefully: false) {} } }
        }
    }

    static func close(_ flood: LoopBound<ServiceFlood>) async {
        for index in await flood.loop.run({ flood.value.connections.indices }) {
            await withCheckedContinuation { continuation in
                flood.loop.perform {
                    flood.value.connections[index].close(gracefully: false) { continuation.resume() }
                }
            }
        }
    }

    private func begin(_ rate: Int, onEnd: @escaping () -> Void) {
        self.onEnd = onEnd
        pace = FloodPace(perSecond: rate, start: .now())
        for connection in connections { connection.onAnswer = { [unowned self] in endIfDone() } }
        tick()
    }

    private func tick() {
        let now = MonotonicTime.now()
        guard !tally.isGivenOut, let count = pace?.take(at: now) else {
            pace = nil
            return endIfDone()
        }
        send(count, at: now)
        // Ends by itself; until then it holds the flood.
        loop.schedule(after: Self.period) { self.tick() }
    }

    private func send(_ count: Int, at now: MonotonicTime) {
        var rest = count
        for _ in connections.indices where rest > 0 {
            let connection = connections[nextConnection]
            nextConnection = (nextConnection + 1) % connections.count
            for _ in 0..<min(rest, connection.room, Self.pieceCountMax) {
                guard let numbers = tally.next() else { return }
                connection.post(numbers, at: now)
                rest -= 1
            }
        }
        if rest > 0 { tally.noteUnsent(rest) }
    }

    private func endIfDone() {
        guard pace == nil, let onEnd, connections.allSatisfy({ $0.openCount == 0 }) else { return }
        self.onEnd = nil
        onEnd()
    }
}
