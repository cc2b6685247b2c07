private import APNS
package import APNSProvider
private import Glibc
package import Networking
private import Platform

/// Cost of a notification to the provider: sends a given number through the client's own API to any server that answers
/// 200. One run per process, as the figures cover the whole process.
package struct ProviderBench: Sendable {
    package enum Mode: String, CaseIterable, Sendable {
        /// Tasks on the client's event loop, which never change threads.
        case loop
        /// Tasks on the global pool, as in code without executors.
        case pool = "default"
        /// Few tasks, each with hundreds of notifications in one call.
        case batch
    }

    package static var payloadByteCounts: ClosedRange<Int> { BenchNotifications.payloadByteCounts }

    package let endpoint: APNSEndpoint
    package let trust: TLSTrust
    package let tokens: ProviderTokenSource
    package let notificationCount: Int
    package let payloadByteCount: Int
    package let connectionCount: Int
    package let inFlightCount: Int
    /// Added by a proxy of this process; zero goes straight to the endpoint.
    package let roundTrip: Duration

    /// - Parameter inFlightCount: For each connection.
    package init(
        endpoint: APNSEndpoint,
        trust: TLSTrust,
        tokens: ProviderTokenSource,
        notificationCount: Int,
        payloadByteCount: Int,
        connectionCount: Int,
        inFlightCount: Int,
        roundTrip: Duration
    ) {
        self.endpoint = endpoint
        self.trust = trust
        self.roundTrip = roundTrip
        self.tokens = tokens
        self.notificationCount = notificationCount
        self.payloadByteCount = payloadByteCount
        self.connectionCount = connectionCount
        self.inFlightCount = inFlightCount
    }

    /// Memory of a process that sends nothing, in bytes, measured as `ProviderBenchReport.peakByteCount`.
    package static func emptyByteCount() throws(BenchError) -> Int {
        var footprint = try FootprintReading()
        return try footprint.byteCount()
    }

    /// Connects, sends everything and closes.
    ///
    /// - Throws: `ProviderError` if the first notification gets no answer; `BenchError`.
    package func run(_ mode: Mode) async throws -> ProviderBenchReport {
        let notifications = try BenchNotifications(payloadByteCount: payloadByteCount)
        let loops = (clients: try EventLoop(), proxy: try EventLoop())
        defer {
            loops.clients.stop()
            loops.proxy.stop()
        }
        let proxy = roundTrip > .zero ? try await latencyProxy(loops.proxy) : nil
        let client = try client(of: proxy, on: loops.clients)
        // An error here would hit all the others too.
        _ = try await client.send(notifications[notificationCount])
        let tally = try ProviderTally(notificationCount: notificationCount, roundTrip: roundTrip)
        let start = MonotonicTime.now()
        await withTaskGroup { group in
            switch mode {
            case .batch:
                for _ in 0..<Self.batchCount {
                    group.addTask { await sendBatches(notifications, through: client, tally) }
                }
            case .loop, .pool:
                // A group's end takes time by the square of its tasks.
                for _ in 0..<connectionCount {
                    group.addTask {
                        await withTaskGroup { group in
                            for _ in 0..<inFlightCount {
                                group.addTask(executorPreference: mode == .loop ? loops.clients : nil) {
                                    await Self.send(notifications, through: client, tally)
                                }
                            }
                        }
                    }
                }
            }
        }
        let nanoseconds = MonotonicTime.now().nanoseconds - start.nanoseconds
        await client.close()
        await proxy?.close()
        return tally.report(nanoseconds: Int(nanoseconds), cpuNanoseconds: Self.cpuNanoseconds)
    }

    /// Batches in flight: while one is gathered, others are answered.
    private static let batchCount = 4

    private func client(of proxy: LatencyProxy?, on loop: EventLoop) throws(ProviderError) -> APNSClient {
        var configuration = APNSClientConfiguration()
        configuration.trust = trust
        configuration.loop = loop
        configuration.connectionCountMax = connectionCount
        let endpoint = APNSEndpoint(host: endpoint.host, port: proxy?.port ?? endpoint.port)
        return try APNSClient(endpoint: endpoint, credential: .token(tokens), configuration: configuration)
    }

    private func latencyProxy(_ loop: EventLoop) async throws(TransportError) -> LatencyProxy {
        try await .start(target: endpoint.host, port: endpoint.port, roundTrip: roundTrip, loop: loop)
    }

    private func sendBatches(
        _ notifications: BenchNotifications,
        through client: APNSClient,
        _ tally: ProviderTally
    ) async {
        let countMax = max(1, inFlightCount * connectionCount / Self.batchCount)
        while true {
            var batch: [PushNotification] = []
            while batch.count < countMax, let index = tally.next() { batch.append(notifications[index]) }
            guard !batch.isEmpty else { return }
            let start = MonotonicTime.now()
            let results = await client.send(batch)
            let nanoseconds = MonotonicTime.now().nanoseconds - start.nanoseconds
            for result in results {
                switch result {
                case .success(let response): tally.note(status: response.status, nanoseconds: nanoseconds)
                case .failure: tally.noteFailure()
                }
            }
        }
    }

    private static func send(
        _ notifications: BenchNotifications,
        through client: APNSClient,
        _ tally: ProviderTally
    ) async {
        while let index = tally.next() {
            let notification = notifications[index]
            let start = MonotonicTime.now()
            do throws(ProviderError) {
                let response = try await client.send(notification)
                tally.note(status: response.status, nanoseconds: MonotonicTime.now().nanoseconds - start.nanoseconds)
            } catch {
                tally.noteFailure()
            }
        }
    }

    /// User and system time of the process, from its first instruction.
    private static var cpuNanoseconds: Int {
        var usage = rusage()
        // Fails only with a bad argument.
        _ = unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
        return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000_000
            + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1_000
    }
}
