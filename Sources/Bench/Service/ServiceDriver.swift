import Envelope
package import Transport

/// Posts loads to a relay over HTTP/2 and counts what reaches the simulator behind it.
package final class ServiceDriver: Sendable {
    private let target: ServiceTarget
    private let loop: EventLoop
    private let apns: ServiceAPNS

    /// - Parameters:
    ///   - target: the relay.
    ///   - apns: what it pushes to.
    ///   - loop: where connections live.
    package init(_ target: ServiceTarget, apns: ServiceAPNS, loop: EventLoop) {
        self.target = target
        self.apns = apns
        self.loop = loop
    }

    /// Posts everything, and waits until what was accepted has reached APNs.
    ///
    /// - Parameters:
    ///   - load: what.
    ///   - first: the number of its first notification; no two loads may share numbers.
    /// - Returns: what it came to.
    /// - Throws: `TransportError` where there is no connection.
    package func run(_ load: ServiceLoad, first: Int) async throws -> ServiceLoadReport {
        let tally = ServiceTally(load, first: first)
        apns.watch { tally.noteDelivered($0) }
        let connections = try await connect(load.connectionCount)
        let bodies = ServiceBodies(load.payload, hasReceipts: load.receiptPercent > 0)
        let start = MonotonicTime.now()
        if let rate = load.rate {
            await post(load, bodies, connections, tally, rate: rate)
        } else {
            await post(load, bodies, connections, tally)
        }
        tally.didPost()
        await tally.waitUntilDelivered()
        let report = tally.report(since: start)
        if load.receiptPercent > 0 { await postReceipts(load, first: first, connections[0], tally) }
        for connection in connections { await connection.close() }
        return report
    }

    /// Posts until everything is given out or the relay is gone.
    ///
    /// - Parameters:
    ///   - load: what.
    ///   - tally: of this and the lives of the relay before.
    /// - Throws: `TransportError` where there is no connection.
    package func run(_ load: ServiceLoad, untilGone tally: ServiceTally) async throws {
        apns.watch { tally.noteDelivered($0) }
        let connections = try await connect(load.connectionCount)
        await post(load, ServiceBodies(load.payload, hasReceipts: false), connections, tally)
    }

    private func connect(_ count: Int) async throws -> [HTTP2ClientConnection] {
        let context = try TLSContext.client(trust: target.trust, alpn: ["h2"])
        var limits = HTTP2ClientLimits()
        limits.waitingCountMax = 1_000_000
        limits.requestDeadline = .seconds(600)
        var connections: [HTTP2ClientConnection] = []
        for _ in 0..<count {
            connections.append(
                try await .connect(host: "localhost", port: target.port, context: context, loop: loop, limits: limits)
            )
        }
        return connections
    }

    /// The next one when one was answered.
    private func post(
        _ load: ServiceLoad,
        _ bodies: ServiceBodies,
        _ connections: [HTTP2ClientConnection],
        _ tally: ServiceTally
    ) async {
        await withTaskGroup { group in
            for connection in connections {
                for _ in 0..<load.inFlightCount {
                    group.addTask(executorPreference: loop) { [self] in
                        while let numbers = tally.next() {
                            guard await send(numbers, load, bodies, connection, tally) else { return }
                        }
                    }
                }
            }
        }
    }

    /// So many a second, whatever is answered.
    private func post(
        _ load: ServiceLoad,
        _ bodies: ServiceBodies,
        _ connections: [HTTP2ClientConnection],
        _ tally: ServiceTally,
        rate: Int
    ) async {
        let start = ContinuousClock.now
        await withTaskGroup { group in
            var count = 0
            while let numbers = tally.next() {
                let connection = connections[count % connections.count]
                group.addTask(executorPreference: loop) { [self] in
                    _ = await send(numbers, load, bodies, connection, tally)
                }
                count += 1
                // A hundred times a second is often enough.
                if count % max(1, rate / 100) == 0 {
                    try? await Task.sleep(until: start + .seconds(Double(count) / Double(rate)))
                }
            }
        }
    }

    /// - Returns: whether there was an answer.
    private func send(
        _ numbers: Range<Int>,
        _ load: ServiceLoad,
        _ bodies: ServiceBodies,
        _ connection: HTTP2ClientConnection,
        _ tally: ServiceTally
    ) async -> Bool {
        let start = MonotonicTime.now()
        let body = bodies.body(numbers, deviceCount: load.deviceCount)
        let response = try? await connection.send(request("POST", "/v1/notifications", body))
        // Without an answer nobody knows; the report names them.
        tally.note(numbers, status: response?.status ?? 0, from: start)
        return response != nil
    }

    /// What devices say that opened theirs, 256 in a request.
    private func postReceipts(
        _ load: ServiceLoad,
        first: Int,
        _ connection: HTTP2ClientConnection,
        _ tally: ServiceTally
    ) async {
        var batch: [Int] = []
        func flush() async {
            guard !batch.isEmpty else { return }
            var writer = JSONWriter()
            writer.object { writer in
                writer.name("receipts")
                writer.array { writer in
                    for number in batch {
                        writer.object { writer in
                            writer.member("capability", Base64URL.string(ServiceBodies.capability(number)))
                            writer.member("code", "opened")
                        }
                    }
                }
            }
            // What is lost here is missing in the relay's own count, which is printed.
            _ = try? await connection.send(request("POST", "/v1/receipts", writer.bytes))
            batch = []
        }
        for number in first..<first + load.notificationCount
        where number % 100 < load.receiptPercent && tally.isAccepted(number) {
            batch.append(number)
            if batch.count == 256 { await flush() }
        }
        await flush()
    }

    private func request(_ method: StaticString, _ path: StaticString, _ body: [UInt8]) -> HTTP2Request {
        var headers = HeaderBlock()
        headers.append(":method", method)
        headers.append(":scheme", "https")
        headers.append(":authority", Array("localhost:\(target.port)".utf8))
        headers.append(":path", path)
        headers.append("authorization", Array("Bearer \(target.apiKey)".utf8))
        headers.append("content-type", "application/json")
        return HTTP2Request(headers: headers, body: body)
    }
}
