import Platform
package import Transport

/// Connects to a relay and posts loads to it.
package struct ServiceDriver: Sendable {
    let target: ServiceTarget
    let apns: ServiceAPNS
    let loop: EventLoop
    let isRelayAlive: @Sendable () -> Bool

    /// - Parameters:
    ///   - target: the relay.
    ///   - apns: what it pushes to.
    ///   - loop: where connections live.
    ///   - isRelayAlive: whether its process is there; asked a few times a second.
    package init(
        _ target: ServiceTarget,
        apns: ServiceAPNS,
        loop: EventLoop,
        isRelayAlive: @escaping @Sendable () -> Bool
    ) {
        self.target = target
        self.apns = apns
        self.loop = loop
        self.isRelayAlive = isRelayAlive
    }

    /// Connects; from now on what reaches APNs counts for this load.
    ///
    /// - Parameters:
    ///   - load: what will be posted.
    ///   - tally: of this load.
    /// - Returns: what posts it. It has to be closed.
    /// - Throws: `TransportError` where there is no connection.
    package func begin(_ load: ServiceLoad, _ tally: ServiceTally) async throws -> ServicePosting {
        apns.watch { tally.noteDelivered($0, name: $1) }
        let context = try TLSContext.client(trust: target.trust, alpn: ["h2"])
        var limits = HTTP2ClientLimits()
        limits.waitingCountMax = 1_000_000
        // The silence of all requests is what ends a load, before this.
        limits.requestDeadline = .seconds(600)
        if load.rate != nil {
            let flood = try await ServiceFlood.connect(self, load, tally, context)
            return ServicePosting(driver: self, load: load, tally: tally, connections: [], flood: flood)
        }
        var connections: [HTTP2ClientConnection] = []
        for _ in 0..<load.connectionCount {
            connections.append(
                try await .connect(host: "localhost", port: target.port, context: context, loop: loop, limits: limits)
            )
        }
        return ServicePosting(driver: self, load: load, tally: tally, connections: connections)
    }

    func request(_ path: StaticString) -> HeaderBlock {
        var headers = HeaderBlock()
        headers.append(":method", "POST")
        headers.append(":scheme", "https")
        headers.append(":authority", Array("localhost:\(target.port)".utf8))
        headers.append(":path", path)
        headers.append("authorization", Array("Bearer \(target.apiKey)".utf8))
        headers.append("content-type", "application/json")
        return headers
    }
}
