import Networking

/// TLS connection, served by the negotiated HTTP version. Lives on one loop.
final class HTTPFrontConnection {
    private enum Version {
        case undecided
        case http1(HTTP1Connection)
        case http2(HTTP2ServerConnection)
    }

    private let channel: TLSChannel
    private let service: HTTPService
    private let limits: HTTP2ServerLimits
    private var version = Version.undecided
    private var standing = HTTPConnectionTable.Standing.handshaking
    private let onStanding: (HTTPConnectionTable.Standing) -> Void
    private var onClosed: (() -> Void)?

    init(
        _ channel: TLSChannel,
        service: HTTPService,
        limits: HTTP2ServerLimits,
        onStanding: @escaping (HTTPConnectionTable.Standing) -> Void,
        onClosed: @escaping () -> Void
    ) {
        self.channel = channel
        self.service = service
        self.limits = limits
        self.onStanding = onStanding
        self.onClosed = onClosed
    }

    func drain() {
        switch version {
        case .undecided: abort()
        case .http1(let connection): connection.drain()
        case .http2(let connection): connection.goAway()
        }
    }

    func abort() { channel.abort(.connectionClosed) }

    private func didReach(_ standing: HTTPConnectionTable.Standing) {
        guard standing != self.standing else { return }
        self.standing = standing
        onStanding(standing)
    }
}

extension HTTPFrontConnection: TLSChannelDelegate {
    func channelDidOpen(_ channel: TLSChannel) {
        didReach(.keyless)
        let onKeyAccepted = { [unowned self] in didReach(.keyed) }
        guard channel.negotiatedProtocol == "h2" else {
            // http/1.1, or a client without ALPN.
            let connection = HTTP1Connection(
                channel,
                service: service,
                remoteAddress: channel.remoteHost,
                onKeyAccepted: onKeyAccepted,
                onClosed: {}
            )
            version = .http1(connection)
            return
        }
        let connection = HTTP2ServerConnection(
            channel: channel,
            limits: limits,
            service: service,
            makeHandler: nil,
            onKeyAccepted: onKeyAccepted,
            onClosed: { _ in }
        )
        version = .http2(connection)
        connection.channelDidOpen(channel)
    }

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        switch version {
        case .undecided: break
        case .http1(let connection): connection.channelDidReceive(bytes)
        case .http2(let connection): connection.channel(channel, didReceive: bytes)
        }
    }

    func channelIsWritable(_ channel: TLSChannel) {
        switch version {
        case .undecided: break
        case .http1(let connection): connection.channelIsWritable()
        case .http2(let connection): connection.channelIsWritable(channel)
        }
    }

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) {
        switch version {
        case .undecided: break
        case .http1(let connection): connection.channelDidClose()
        case .http2(let connection): connection.channelDidClose(channel, error)
        }
        version = .undecided
        onClosed?()
        onClosed = nil
    }
}
