import HTTP
package import Networking
import Platform

/// Connects to a relay and posts loads to it.
package struct ServiceDriver: Sendable {
    let target: ServiceTarget
    let apns: ServiceAPNS
    let loop: EventLoop
    let isRelayAlive: @Sendable () -> Bool

    /// - Parameter isRelayAlive: True while the relay's process runs; called a few times a second.
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

    /// Connects. From now on arrivals at APNs count for this load.
    ///
    /// - Returns: The posting, which has to be closed.
    /// - Throws: `TransportError` if there is no connection.
    package func begin(_ load: ServiceLoad, _ tally: ServiceTally) async throws -> ServicePosting {
        apns.watch { tally.noteDelivered($0, name: $1) }
        let context = try TLSContext.client(trust: target.trust, alpn: ["h2"])
        var limits = HTTP2ClientLimits()
        limits.waitingCountMax = 1_000_000
        // The load's own limit on silence comes first.
        limits.requestDeadline = .seconds(600)
        if load.rate != nil {
            let flood = try await ServiceFlood.connect(self, load, tally, context)
            var strangers: [HTTP2ClientConnection] = []
            for _ in 0..<ServicePosting.strangerConnectionCount where load.strangersRate != nil {
                strangers.append(try await connect(context, limits))
            }
            return ServicePosting(driver: self, load: load, tally: tally, connections: strangers, flood: flood)
        }
        var connections: [HTTP2ClientConnection] = []
        for _ in 0..<load.connectionCount {
            connections.append(try await connect(context, limits))
        }
        return ServicePosting(driver: self, load: load, tally: tally, connections: connections)
    }

    private func connect(
        _ context: TLSContext,
        _ limits: HTTP2ClientLimits
    ) async throws(TransportError) -> HTTP2ClientConnection {
        try await .connect(host: "localhost", port: target.port, context: context, loop: loop, limits: limits)
    }

    /// - Parameter tenant: number of the tenant, whose key it has.
    func request(_ path: StaticString, of tenant: Int = 0) -> HeaderBlock {
        var headers = HeaderBlock()
        headers.append(":method", "POST")
        headers.append(":scheme", "https")
        headers.append(":authority", Array("localhost:\(target.port)".utf8))
        headers.append(":path", path)
        headers.append("authorization", Array("Bearer \(target.apiKeys[tenant])".utf8))
        headers.append("content-type", "application/json")
        return headers
    }
}
