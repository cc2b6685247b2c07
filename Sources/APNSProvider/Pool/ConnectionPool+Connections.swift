import APNS
import HTTP
import Networking

extension ConnectionPool {
    /// Initial window (RFC 9113 section 6.9.2); Apple keeps the default.
    private static let windowByteCount = 65_535

    /// Opens one connection until the credential is proven, then enough for the waiting pushes in one round trip.
    func grow() {
        guard !isClosed, lane.suspension == nil else { return }
        let usable = connections.filter { !$0.isRetired && ($0.isConnecting || $0.core.isOpen) }
        guard !usable.isEmpty else { return connect() }
        guard lane.isProven, !usable.contains(where: \.isConnecting), usable.count < connectionCountMax
        else { return }
        guard growTimer == nil else { return }
        // A burst that leaves with the next window needs none.
        let roundTrip = usable.compactMap(\.roundTrip).min() ?? .milliseconds(5)
        growTimer = loop.schedule(after: max(.milliseconds(1), roundTrip / 2)) { [unowned self] in
            growTimer = nil
            growNow()
        }
    }

    private func growNow() {
        let demand = deliveries.waitingCount + wantedCount
        guard !isClosed, demand > 0 else { return }
        let usable = connections.filter { !$0.isRetired && ($0.isConnecting || $0.core.isOpen) }
        guard !usable.contains(where: { !$0.isConnecting && $0.hasRoom() }) else { return planDispatch() }
        let byteCount = max(1, deliveries.oldestWaiting?.notification.payload.count ?? lastPayloadByteCount)
        let perConnection = max(1, Self.windowByteCount / byteCount)
        let wanted = usable.count + (demand + perConnection - 1) / perConnection
        for _ in usable.count..<max(usable.count, min(wanted, connectionCountMax)) {
            connect()
        }
    }

    func connect() {
        let wait = backoff.wait(at: loop.now)
        guard wait <= .zero else {
            guard connectTimer == nil else { return }
            connectTimer = loop.schedule(after: wait) { [unowned self] in
                connectTimer = nil
                planDispatch()
            }
            return
        }
        backoff.didStart(at: loop.now)
        let connection = PooledConnection(
            number: nextConnectionNumber,
            pool: self,
            authority: endpoint.authority,
            limits: connectionLimits(nextConnectionNumber)
        )
        nextConnectionNumber += 1
        connections.append(connection)
        notify(.connecting(connection: connection.number))
        connection.core.connect(host: endpoint.host, port: endpoint.port, context: credential.context) { [self] error in
            didConnect(error, connection)
        }
    }

    private func connectionLimits(_ number: Int) -> HTTP2ClientLimits {
        var limits = HTTP2ClientLimits()
        limits.channel.route.proxy = configuration.proxy
        limits.channel.route.resolver = configuration.resolver
        // Apple's names have about eight addresses.
        limits.channel.route.addressOffset = number - 1
        limits.channel.connectDeadline = configuration.connectDeadline
        limits.channel.handshakeDeadline = configuration.connectDeadline
        limits.channel.idleDeadline = nil
        limits.waitingCountMax = 0
        return limits
    }

    private func didConnect(_ error: TransportError?, _ connection: PooledConnection) {
        guard let error else {
            connection.didConnect()
            connectFailure = nil
            notify(.connected(connection: connection.number))
            // Measures the round trip, for `grow`.
            connection.core.ping(deadline: configuration.pingDeadline)
            return planDispatch()
        }
        connectFailure = error
        notify(.connectFailed(connection: connection.number, error))
        // Most likely a wrong setting, which waiting does not mend.
        if !lane.isProven, !connections.contains(where: { $0 !== connection && !$0.isRetired }) {
            // A push with an earlier attempt has shown that there is a server.
            failWaiting(.notProcessed(SendError(cause: .connection(error), attemptCount: 0))) { $0.attemptCount == 0 }
        }
    }

    func didReceiveSettings(streamCountMax: Int, _ connection: PooledConnection) {
        notify(.streamLimit(connection: connection.number, streamCountMax))
        planDispatch()
    }

    func didReceiveGoAway(_ body: RejectionBody?, code: UInt32, _ connection: PooledConnection) {
        notify(.goAway(connection: connection.number, body, code: code))
        if let reason = body?.reason, lane.didGoAway(reason) { suspend(reason) }
        planDispatch()
    }

    func didClose(_ error: TransportError?, _ connection: PooledConnection) {
        connections.removeAll { $0 === connection }
        if !connection.isConnecting || connection.goAway != nil {
            notify(.closed(connection: connection.number, error))
        }
        if !connection.isProven, !connection.isRetired {
            backoff.didFail(at: loop.now, jitter: configuration.jitter())
        }
        endIfClosed()
        planDispatch()
    }
}
