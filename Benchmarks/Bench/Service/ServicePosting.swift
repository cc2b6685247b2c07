import HTTP
import Networking

/// One load being posted to a relay. Every wait in it ends: with its result, when the relay is gone, after two minutes
/// of silence, or when the task is cancelled.
package struct ServicePosting: Sendable {
    private static let silenceMax = Duration.seconds(120)
    /// Interval of checks whether to wait on.
    private static let glance = Duration.milliseconds(100)
    private static let receiptCountMax = 256
    private static let strangerCount = 1_000
    static let strangerConnectionCount = 16

    private let driver: ServiceDriver
    private let load: ServiceLoad
    private let tally: ServiceTally
    private let connections: [HTTP2ClientConnection]
    /// Replaces the connections in a load with a fixed rate.
    private let flood: LoopBound<ServiceFlood>?
    private let bodies: ServiceBodies
    private let recipients: ServiceRecipients
    /// Of each tenant.
    private let notificationsHeads: [HeaderBlock]
    private let receiptsHead: HeaderBlock

    init(
        driver: ServiceDriver,
        load: ServiceLoad,
        tally: ServiceTally,
        connections: [HTTP2ClientConnection],
        flood: LoopBound<ServiceFlood>? = nil
    ) {
        self.driver = driver
        self.load = load
        self.tally = tally
        self.connections = connections
        self.flood = flood
        bodies = ServiceBodies(load)
        recipients = ServiceRecipients(deviceCount: load.deviceCount, isMixed: load.isMixed)
        notificationsHeads = (0..<load.tenantCount).map { driver.request("/v1/notifications", of: $0) }
        receiptsHead = driver.request("/v1/receipts")
        tally.resume()
    }

    /// Posts until everything is given out and has its answers.
    ///
    /// - Throws: `ServiceBenchError`.
    package func post() async throws {
        try await guarded {
            await withTaskGroup(of: Void.self) { group in
                if let rate = load.strangersRate { group.addTask { await postAsStrangers(perSecond: rate) } }
                if let rate = load.rate, let flood {
                    await ServiceFlood.post(flood, perSecond: rate)
                } else {
                    await postInTurn()
                }
                group.cancelAll()
            }
        }
        tally.didPost()
    }

    /// Posts until everything is given out or the relay is gone.
    ///
    /// - Throws: `ServiceBenchError`, except `relayEnded`.
    package func postUntilGone() async throws {
        do {
            try await guarded { await postInTurn() }
        } catch ServiceBenchError.relayEnded {
            // The next relay continues.
        }
    }

    /// Waits until all accepted notifications have reached APNs.
    ///
    /// - Throws: `ServiceBenchError`.
    package func waitUntilDelivered() async throws { try await guarded { await tally.waitUntilDone() } }

    package func close() async {
        for connection in connections { await connection.close(gracefully: false) }
        if let flood { await ServiceFlood.close(flood) }
    }

    // MARK: Posting

    private func postInTurn() async {
        await withDiscardingTaskGroup { group in
            for connection in connections {
                for _ in 0..<load.inFlightCount {
                    group.addTask(executorPreference: driver.loop) {
                        while true {
                            await tally.room()
                            guard let numbers = tally.next(), await send(numbers, connection) else { return }
                        }
                    }
                }
            }
        }
    }

    private func send(_ numbers: Range<Int>, _ connection: HTTP2ClientConnection) async -> Bool {
        let start = MonotonicTime.now()
        let request = request(numbers)
        // Without an answer the result is unknown; the report counts it.
        let response = try? await connection.send(request)
        tally.note(numbers, status: response?.status ?? 0, from: start)
        return response != nil
    }

    private func request(_ numbers: Range<Int>) -> HTTP2Request {
        let recipient = recipients[numbers.lowerBound]
        guard load.isThroughEndpoints, case .device(let device) = recipient else {
            let head = notificationsHeads[recipient.tenant(of: load.tenantCount)]
            return HTTP2Request(headers: head, body: bodies.body(numbers))
        }
        let head = ServiceEndpoints.head(device, port: driver.target.port)
        return HTTP2Request(headers: head, body: ServiceEndpoints.record(numbers.lowerBound))
    }

    // MARK: Strangers

    /// Pushes through strangers' endpoints until the task is cancelled: each waits for its answer, and for its turn. Turns
    /// are spread evenly.
    private func postAsStrangers(perSecond rate: Int) async {
        let workers = min(64, rate)
        await withDiscardingTaskGroup { group in
            for worker in 0..<workers {
                group.addTask(executorPreference: driver.loop) {
                    let connection = connections[worker % connections.count]
                    var number = worker
                    let start = MonotonicTime.now()
                    while !Task.isCancelled {
                        let head = ServiceEndpoints.head(number % Self.strangerCount, port: driver.target.port)
                        _ = try? await connection.send(HTTP2Request(headers: head, body: ServiceEndpoints.record(nil)))
                        number += workers
                        let due = start + .nanoseconds(Int64(number) * 1_000_000_000 / Int64(rate))
                        // A cancelled sleep ends the loop.
                        if due > .now() { try? await Task.sleep(for: due - .now()) }
                    }
                }
            }
        }
    }

    // MARK: Receipts

    /// Posts the receipts of devices.
    ///
    /// - Returns: Number of accepted receipts.
    /// - Throws: `ServiceBenchError`.
    package func postReceipts(_ numbers: [Int]) async throws -> Int {
        let batches = stride(from: 0, to: numbers.count, by: Self.receiptCountMax).map { start in
            numbers[start..<min(start + Self.receiptCountMax, numbers.count)]
        }
        let counts = await withTaskGroup(of: Int.self) { group in
            for (index, connection) in connections.enumerated() {
                group.addTask(executorPreference: driver.loop) {
                    var count = 0
                    for batch in stride(from: index, to: batches.count, by: connections.count).map({ batches[$0] }) {
                        let request = HTTP2Request(headers: receiptsHead, body: ServiceBodies.receipts(batch))
                        guard let response = try? await connection.send(request) else { break }
                        if response.status == 204 { count += batch.count }
                    }
                    return count
                }
            }
            return await group.reduce(0, +)
        }
        guard !Task.isCancelled else { throw ServiceBenchError.stopped }
        return counts
    }

    // MARK: The end of a wait

    private func guarded(_ body: @escaping @Sendable () async -> Void) async throws {
        let failure = await withTaskGroup(of: ServiceBenchError?.self) { group in
            group.addTask {
                await withTaskCancellationHandler {
                    await body()
                } onCancel: {
                    tally.interrupt()
                }
                return nil
            }
            group.addTask { await watch() }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        guard !Task.isCancelled else { throw ServiceBenchError.stopped }
        if let failure { throw failure }
    }

    private func watch() async -> ServiceBenchError? {
        var seen = tally.progressCount
        var since = MonotonicTime.now()
        while !Task.isCancelled {
            guard driver.isRelayAlive() else { return .relayEnded }
            let count = tally.progressCount
            if count != seen { (seen, since) = (count, .now()) }
            guard MonotonicTime.now() - since < Self.silenceMax else {
                let report = tally.report(since: since)
                return .silence(
                    seconds: Int(Self.silenceMax.components.seconds),
                    acceptedCount: report.acceptedCount,
                    deliveredCount: report.deliveredCount
                )
            }
            // A cancelled sleep ends the loop.
            try? await Task.sleep(for: Self.glance)
        }
        return nil
    }
}
